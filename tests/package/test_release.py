"""What is said about the release in several places agrees, and the tools that check it can fail."""

import re
import shutil
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path
from typing import ClassVar

import pytest
from sklearn.utils.estimator_checks import check_estimator

from cautious.models import check_cautious_estimator

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSION = PROJECT["version"]


def tool(name):
    return import_module(f"tools.{name}")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version_everywhere():
    assert f"\nversion: {VERSION}\n" in text("CITATION.cff")
    headings = re.findall(r"^## (\S+)", text("CHANGELOG.md"), re.M)
    assert headings.count(VERSION) == 1


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not on the path")
@pytest.mark.parametrize(("version", "final", "status"), [
    (VERSION, "--draft", 0),
    (VERSION, "--yes", 2),
    (VERSION.replace(".", "x"), "--yes", 0),
    ("99.0.0", "--yes", 0),
])  # fmt: skip
def test_no_version_gets_a_second_section(version, final, status):
    """The check stands before the program that writes sections."""
    wanted = ["make", "one-section", f"VERSION={version}", f"FINAL={final}"]
    ran = subprocess.run(wanted, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == status
    assert (f"CHANGELOG.md has a section {version} already" in ran.stdout) == (status == 2)


def test_the_same_pythons_everywhere():
    declared = [
        line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)
    ]
    assert PROJECT["requires-python"] == f">={declared[0]}"
    tried = re.search(r"^PYTHONS \?= (.*)$", text("Makefile"), re.M)[1]
    assert tried == " ".join(f"python{one}" for one in declared)
    ci = text(".github/workflows/ci.yml")
    assert set(re.findall(r'"(3\.\d+)"', ci)) == set(declared)
    assert f"Python {declared[0]} to {declared[-1]}" in text("docs/support.md")


def test_the_oldest_versions_are_those_declared():
    given = dict(re.findall(r"^([\w-]+)==([\d.]+)", text("constraints/oldest.txt"), re.M))
    extras = PROJECT["optional-dependencies"]
    named = re.search(r"\[(.*)\]", extras["all"][0])[1].split(",")
    asked = [*PROJECT["dependencies"], *(line for extra in named for line in extras[extra])]
    least = dict(re.findall(r"^([\w-]+)(?:\[\w+\])?>=([\d.]+)", "\n".join(asked), re.M))
    assert len(least) > 10

    def numbers(version):
        return [int(part) for part in [*version.split("."), "0", "0"]][:3]

    assert {name: given.get(name) and numbers(given[name]) for name in least} == {
        name: numbers(version) for name, version in least.items()
    }


def test_actions_are_pinned_to_a_commit():
    uses = [
        line.split("uses:")[1].strip()
        for path in (ROOT / ".github" / "workflows").glob("*.yml")
        for line in path.read_text().splitlines()
        if "uses:" in line
    ]
    assert len(uses) > 10
    assert [one for one in uses if not re.fullmatch(r"\S+@[0-9a-f]{40} # v[\d.]+", one)] == []


def test_every_extra_is_tried_and_said_where_it_is_missing():
    tried = tool("try_release")
    declared = set(PROJECT["optional-dependencies"])
    assert set(tried.USES) == declared
    assert set(tried.MISSING) | tried.SILENT == declared
    for code in [tried.CORE, *(use.code for use in tried.USES.values())]:
        compile(code, "use.py", "exec")
    for extra in tried.MISSING:
        compile(tried.missing_code(extra), "use.py", "exec")


def test_fragments_are_of_a_known_kind():
    towncrier = tomllib.loads(text("pyproject.toml"))["tool"]["towncrier"]
    kinds = "|".join(kind["directory"] for kind in towncrier["type"])
    assert towncrier["start_string"] in text("CHANGELOG.md")
    names = {path.name for path in (ROOT / "changes").iterdir()} - {"README.md"}
    odd = [name for name in names if not re.fullmatch(rf"\+[a-z0-9-]+\.({kinds})\.md", name)]
    assert odd == []


@pytest.mark.parametrize("page", ["measure", "model", "display", "engine"])
def test_what_contributors_add_is_shown_in_thirty_lines(page):
    """The block itself is run by test_docs."""
    (block,) = re.findall(r"^```python\n(.*?)^```", text(f"docs/extend/{page}.md"), re.M | re.S)
    assert len([line for line in block.splitlines() if line.strip()]) <= 30
    assert f"(docs/extend/{page}.md)" in text("CONTRIBUTING.md")


def test_the_model_of_the_page_passes_the_checks_that_the_page_asks_for(tmp_path, monkeypatch):
    (block,) = re.findall(r"^```python\n(.*?)^```", text("docs/extend/model.md"), re.M | re.S)
    (tmp_path / "model_of_the_page.py").write_text(block, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    model = import_module("model_of_the_page").NearestMeans()
    check_cautious_estimator(model)
    failed = [
        check["check_name"]
        for check in check_estimator(model, on_skip=None, on_fail=None)
        if check["status"] == "failed"
    ]
    assert failed == []


class TestContents:
    DECLARED: ClassVar = {"version": "1.2", "requires-python": ">=3.11"}
    METADATA = "Metadata-Version: 2.4\nName: cautious\nVersion: 1.2\nRequires-Python: >=3.11\n"

    @pytest.fixture
    def build(self):
        return tool("build_release")

    @pytest.fixture
    def names(self, build):
        about = "cautious-1.2.dist-info/"
        return [*build.IN_WHEEL, about + "licenses/LICENSE", about + "entry_points.txt"]

    def test_a_good_wheel(self, build, names):
        assert build.wheel_faults(names, self.METADATA, self.DECLARED) == []

    @pytest.mark.parametrize("name", ["tests/test_a.py", "cautious/docs/a.md", "setup.py"])
    def test_what_does_not_belong(self, build, names, name):
        (fault,) = build.wheel_faults([*names, name], self.METADATA, self.DECLARED)
        assert fault == f"{name} does not belong in the wheel"

    def test_what_is_missing_or_said_otherwise(self, build, names):
        faults = build.wheel_faults(names[1:], self.METADATA, {**self.DECLARED, "version": "1.3"})
        assert f"{names[0]} is missing in the wheel" in faults
        assert "the wheel's Version is '1.2', pyproject.toml's '1.3'" in faults

    def test_the_source_archive_is_what_is_under_version_control(self, build):
        assert build.source_faults(["a", "PKG-INFO"], ["a"]) == []
        faults = build.source_faults(["a", "stray"], ["a", "lost"])
        assert faults == [
            "lost is missing in the source archive",
            "stray is not under version control",
        ]

    def test_files_of_the_wheel_exist(self, build):
        assert [name for name in build.IN_WHEEL if not (ROOT / "src" / name).is_file()] == []


def test_types_that_are_not_known_are_named():
    error = {"severity": "error", "message": "Type is missing\nbecause"}
    report = {"symbols": [{"name": "cautious.a", "diagnostics": [error] * 3}]}
    shown = tool("type_completeness").shown_faults(report, most=2)
    assert shown == ["cautious.a: Type is missing"] * 2 + ["… 3 in all"]
