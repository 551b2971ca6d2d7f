"""``cautious reproduce``: one call of the library."""

import pytest


def test_it_is_one_call_of_the_library(run, monkeypatch):
    calls = []

    def record(paper, **options):
        calls.append((paper, {key: str(value) for key, value in options.items()}))
        return ["Table 1: ours, theirs"]

    monkeypatch.setattr("cautious.experiments.reproduce", record)
    result = run("reproduce", "yang", "--quick", "-o", "here", "--jobs", 2)
    assert calls == [("yang", {"quick": "True", "folder": "here", "n_jobs": "2"})]
    assert result.stdout == "Table 1: ours, theirs\n\n"
    assert "written to here" in result.stderr


def test_unknown_papers(fails, tmp_path):
    assert "Did you mean 'yang'" in fails("reproduce", "yung")
    assert not (tmp_path / "reproduction").exists()


@pytest.mark.slow
def test_yang_for_real(run, tmp_path):
    result = run("reproduce", "yang", "--quick", "-o", "yang")
    assert "Yang" in result.stdout
    assert any((tmp_path / "yang").iterdir())
