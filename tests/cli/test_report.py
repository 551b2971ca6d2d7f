"""``cautious report`` and the end of ``cautious demo``: a page, whole or not at all."""

import json

import pytest


def test_scores_make_a_page(run, scores, tmp_path):
    result = run("report", "good.csv", "poor.csv", "--positive", "bad", "--title", "<i>My</i> page")
    assert result.stdout == ""
    assert "report written to report.html" in result.stderr
    page = (tmp_path / "report.html").read_text()
    assert "<!doctype html" in page[:100].lower()
    assert "<i>My</i>" not in page
    assert "good" in page
    assert "poor" in page


def test_probabilities_and_sets_make_a_page(run, probabilities, tmp_path):
    text = "y,y_set\na,a\nb,a|b\nc,c\n"
    run("report", "trees.parquet", "-", "-o", "trees.html", stdin=text)
    assert (tmp_path / "trees.html").stat().st_size < 6_000_000


def test_an_engine_makes_a_page(run, scores, probabilities, tmp_path):
    run("report", "good.csv", "--positive", "bad", "--engine", "local", "-o", "one.html")
    run("report", "trees.parquet", "--engine", "local", "-o", "two.html")
    (one, two) = (data_in(tmp_path / name) for name in ("one.html", "two.html"))
    assert [model["name"] for model in one["problems"][0]["models"]] == ["good"]
    assert len(two["problems"]) == 1
    assert one["notes"][0].startswith("good.csv: truth")


GROUPED = "y_true,score,site\n" + "".join(
    f"{k % 2},{'' if k == 3 else k * 7 % 10 / 10},{'Graz' if k % 3 else 'Linz'}\n"
    for k in range(20)
)


def test_cases_without_a_score_are_left_out_of_the_page(run, fails, tmp_path):
    (tmp_path / "p.csv").write_text(GROUPED)
    refused = fails("report", "p.csv")
    assert "--missing abstain" in refused
    assert (
        "no score in 1 of 20 rows; abstained on"
        in run("report", "p.csv", "--missing", "abstain").stderr
    )
    (model,) = problems_in(tmp_path / "report.html")[0]["models"]
    assert model["n"] == 19
    reason = "have no score (a rule abstains on them)"
    assert model["left_out"] == [{"count": 1, "reason": reason}]
    said = run("report", "p.csv", "--missing", "abstain", "--engine", "local").stderr
    assert "the page is about the rows that have a score" in said
    (model,) = problems_in(tmp_path / "report.html")[0]["models"]
    assert model["n"] == 19


def test_cases_without_probabilities_count_as_abstentions_with_and_without_an_engine(run, tmp_path):
    rows = [
        f"{'abc'[k % 3]},0.{k % 8},,0.2" if k % 5 == 0 else "a,0.5,0.25,0.25" for k in range(20)
    ]
    (tmp_path / "p.csv").write_text("\n".join(["y_true,p_a,p_b,p_c", *rows]))
    pages = []
    for engine in ((), ("--engine", "local")):
        run("report", "p.csv", "--missing", "abstain", *engine)
        pages.append(problems_in(tmp_path / "report.html")[0]["models"])
    assert [one["name"] for one in pages[0]] == [one["name"] for one in pages[1]]
    for here, there in zip(*pages, strict=True):
        assert here["sizes"] == there["sizes"]
        assert [line for line in here["sizes"] if line[0] == 3] == [[3, 4, 0]]
        assert here["by_class"] == there["by_class"]


def test_groups_are_on_the_page(run, fails, tmp_path):
    (tmp_path / "p.csv").write_text(GROUPED.replace(",,", ",0.5,"))
    run("report", "p.csv")
    assert "Linz" not in (tmp_path / "report.html").read_text()
    run("report", "p.csv", "--group", "site")
    (table,) = problems_in(tmp_path / "report.html")[0]["tables"]
    assert sorted(table["groups"]) == ["Graz", "Linz"]
    refused = fails("report", "p.csv", "--group", "site", "--engine", "local")
    assert "--group is not offered with --engine" in refused


def data_in(path):
    text = path.read_text("utf-8").split('id="data">')[1].split("</script>")[0]
    return json.loads(text)


def problems_in(path):
    return data_in(path)["problems"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("nowhere.csv",), "does not exist"),
        (("good.csv",), "--positive"),
        (("good.csv", "--positive", "bad", "-o", "nowhere/r.html"), "no folder"),
        (("good.csv", "--positive", "bad", "--false-negative", "0"), "must cost something"),
        (("good.csv", "--positive", "bad", "--prior", "1"), "prior"),
        (("good.csv", "--engine", "abacus"), "--engine is 'abacus'"),
        (("good.csv", "--engine", "local"), "positive"),
        (("good.csv", "--engine", "local", "--positive", "worse"), "worse"),
    ],
)
def test_nothing_is_written_on_error(fails, scores, tmp_path, args, words):
    (tmp_path / "report.html").write_text("old")
    assert words in fails("report", *args)
    assert (tmp_path / "report.html").read_text() == "old"
    assert not [p for p in tmp_path.iterdir() if p.suffix == ".html" and p.name != "report.html"]


@pytest.mark.parametrize("engine", [[], ["--engine", "local"]], ids=["memory", "engine"])
def test_a_file_that_is_read_is_not_written_over(fails, scores, tmp_path, engine):
    before = (tmp_path / "good.csv").read_bytes()
    said = fails("report", "good.csv", "--positive", "bad", "-o", "./good.csv", *engine)
    assert "good.csv, which is read; name another file to write" in said
    assert (tmp_path / "good.csv").read_bytes() == before


def test_costs_of_two_classes_are_refused_for_more(fails, probabilities, tmp_path):
    words = fails("report", "trees.csv", "--false-negative", 5)
    assert "the sliders of costs are for scores of two classes" in words
    assert not (tmp_path / "report.html").exists()
