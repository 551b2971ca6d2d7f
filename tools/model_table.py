"""Measure every model of the library on the same data sets, and write ``docs/models.md``.

``python tools/model_table.py STORE [--jobs N]`` runs a
:class:`~cautious.experiments.Study` of all models that need nothing but features and classes, on
26 bundled data sets, by ten folds; results go to STORE, from which a second run goes on.
``--write docs/models.md`` then writes the page, and the picture of the mean ranks beside it.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from cautious.comparison import friedman_nemenyi
from cautious.experiments import Study
from cautious.models import (
    AbstainingClassifier,
    CautiousEnsembleClassifier,
    CautiousForestClassifier,
    CautiousPipeline,
    CautiousSearchCV,
    CertifiedAbstainingClassifier,
    ConformalClassifier,
    CredalModelAveragingClassifier,
    CredalTreeClassifier,
    DelegatingClassifier,
    LazyNaiveCredalClassifier,
    NaiveCredalClassifier,
    NestedDichotomyClassifier,
    NestedDichotomyForestClassifier,
    NondeterministicClassifier,
    NoveltyRefusingClassifier,
    TunedAbstainingClassifierCV,
)
from cautious.preparation import MDLDiscretizer

DATASETS = [
    *("balance-scale", "breast-cancer", "breast-w", "bupa", "cmc", "credit-a", "credit-g"),
    *("dermatology", "diabetes", "ecoli", "eucalyptus", "glass", "haberman", "heart-c"),
    *("heart-statlog", "ionosphere", "iris", "LEV", "lymph", "sonar", "tae", "tic-tac-toe"),
    *("vehicle", "vote", "wine", "yeast"),
]
MEASURES = ["u65", "u80", "coverage", "containment", "mean_set_size"]


@dataclass(frozen=True)
class Entry:
    """One line of the table: a model, what is measured of it, and what a reader should know.

    Attributes
    ----------
    name : str
        The class in :mod:`cautious.models`.
    promises, needs, take : str
        What holds on new cases, what it must be given, when to take it.
    measured : mapping of str to classifier
        Settings that the study runs, by the names of the second table; none where the model needs
        more than features and classes.
    """

    name: str
    promises: str
    needs: str
    take: str
    measured: dict[str, Any]


def plain(model: Any) -> Any:
    """Put a model behind an encoder: categories become numbers, gaps stay."""
    encode = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    columns = make_column_transformer(
        (encode, make_column_selector(dtype_exclude="number")), remainder="passthrough"
    )
    return CautiousPipeline.from_steps(columns, model)


def binned(model: Any) -> Any:
    """Put a model for categories behind the discretisation that the papers use."""
    return CautiousPipeline.from_steps(MDLDiscretizer(), model)


def forest() -> RandomForestClassifier:
    """Grow what all wrappers are measured over."""
    return RandomForestClassifier(n_jobs=1)


def entries() -> list[Entry]:
    """List every model of the library."""
    first_look = [("tree", DecisionTreeClassifier(min_samples_leaf=5)), ("forest", forest())]
    members = [
        *first_look,
        ("extra trees", ExtraTreesClassifier()),
        ("boosting", HistGradientBoostingClassifier(max_iter=50)),
    ]
    return [
        Entry(
            "AbstainingClassifier",
            "nothing by itself",
            "a classifier with probabilities, and a rule",
            "the rule is known: a threshold, a window, costs",
            {"forest, confidence ≥ 0.75": plain(AbstainingClassifier(forest()))},
        ),
        Entry(
            "TunedAbstainingClassifierCV",
            "the best thresholds on held-out cases; on new cases a little worse",
            "a classifier with probabilities; costs or one limit",
            "costs are known roughly, or there is a limit on errors or abstentions",
            {
                "forest, tuned to 10 % error": plain(
                    TunedAbstainingClassifierCV(forest(), max_error=0.1)
                )
            },
        ),
        Entry(
            "CertifiedAbstainingClassifier",
            "limits on new cases, with a stated confidence",
            "a classifier with probabilities; some hundred cases to set aside",
            "a limit must be kept, and somebody signs for it",
            {
                "forest, certified 10 % error": plain(
                    CertifiedAbstainingClassifier(forest(), max_error=0.1, confidence_level=0.9)
                )
            },
        ),
        Entry(
            "ConformalClassifier",
            "the set holds the true class in a stated share of new cases (per class or group)",
            "a classifier with probabilities; cases to set aside, or folds",
            "sets must hold the truth in a given share of cases, whatever the model",
            {"forest, conformal 90 %": plain(ConformalClassifier(forest(), empty="best"))},
        ),
        Entry(
            "NondeterministicClassifier",
            "the largest expected utility, if the probabilities (or their bounds) are right",
            "a classifier with good probabilities, or with bounds, and a utility",
            "sets are welcome and the model is calibrated",
            {
                "forest, u65-optimal sets": plain(NondeterministicClassifier(forest(), "u65")),
                "naive credal, best at worst": binned(
                    NondeterministicClassifier(NaiveCredalClassifier(), "u65", lower=True)
                ),
            },
        ),
        Entry(
            "CautiousForestClassifier",
            "nothing by itself",
            "what scikit-learn's forest takes; no boosted trees (gradient boosting), whose leaves "
            "hold no counts",
            "a good first choice with many features; one fit serves all rules",
            {
                f"cautious forest, {rule}": plain(CautiousForestClassifier(rule=rule))
                for rule in ("cdm-vote", "cdm-ave", "ave")
            },
        ),
        Entry(
            "NaiveCredalClassifier",
            "answers hold for every prior of strength s",
            "categories (use `MDLDiscretizer` for numbers); gaps are welcome",
            "few cases, categories, or reasons must be given",
            {"naive credal": binned(NaiveCredalClassifier())},
        ),
        Entry(
            "CautiousSearchCV",
            "what the model inside it does",
            "a model, settings to try, and time for folds",
            "s, or another setting, is not known",
            {
                "cautious forest, s tuned": plain(
                    CautiousSearchCV(CautiousForestClassifier(), {"s": [0.5, 1, 1.5, 2, 2.5]})
                ),
                "naive credal, s tuned": binned(
                    CautiousSearchCV(
                        NaiveCredalClassifier(), {"s": [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10]}
                    )
                ),
            },
        ),
        Entry(
            "LazyNaiveCredalClassifier",
            "the same, near each case",
            "categories; all training cases at hand when it predicts",
            "many cases, features that depend on each other",
            {"lazy naive credal": binned(LazyNaiveCredalClassifier())},
        ),
        Entry(
            "CredalModelAveragingClassifier",
            "answers hold for every prior over sets of features",
            "categories",
            "many features, of which few may matter",
            {"credal model averaging": binned(CredalModelAveragingClassifier())},
        ),
        Entry(
            "CredalTreeClassifier",
            "answers hold for every prior of strength s, leaf by leaf",
            "categories",
            "one small tree that can be read",
            {"credal tree": binned(CredalTreeClassifier())},
        ),
        Entry(
            "NestedDichotomyClassifier",
            "answers are maximal under the tree's bounds, for any costs",
            "a binary classifier with bounds; pays from three classes on",
            "costs between classes, a readable order of questions",
            {"nested dichotomy": binned(NestedDichotomyClassifier())},
        ),
        Entry(
            "NestedDichotomyForestClassifier",
            "the same for the mean of many trees",
            "the same",
            "the same, where the choice of the tree matters",
            {"nested dichotomies, 50": binned(NestedDichotomyForestClassifier())},
        ),
        Entry(
            "CautiousEnsembleClassifier",
            "nothing by itself",
            "several classifiers that differ",
            "models disagree, and that says more than what each is sure of",
            {
                "four models, spread": plain(CautiousEnsembleClassifier(members)),
                "four models, votes": plain(
                    CautiousEnsembleClassifier(members, rule="votes", threshold=0.75)
                ),
            },
        ),
        Entry(
            "NoveltyRefusingClassifier",
            "refuses at most a stated share of ordinary cases",
            "an outlier detector; cases to set aside",
            "cases may come that resemble nothing seen before",
            {
                "forest, novel cases refused": plain(
                    NoveltyRefusingClassifier(forest(), IsolationForest())
                )
            },
        ),
        Entry(
            "DelegatingClassifier",
            "the least mean of mistakes and prices on held-out cases, if tuned",
            "two classifiers or more",
            "a cheap model can answer most cases",
            {"tree, then forest": plain(DelegatingClassifier(first_look, train_on="all"))},
        ),
        Entry(
            "DeferringClassifier",
            "a limit for the whole team, if asked for",
            "answers of the experts on some cases, prices, capacities",
            "people or other models answer what it is unsure of",
            {},
        ),
        Entry(
            "HierarchicalClassifier",
            "the error of the named node, if asked for",
            "a tree of the classes",
            "the family is useful when the species is in doubt",
            {},
        ),
        Entry(
            "OrdinalClassifier",
            "answers are neighbouring classes, optimal by costs or utility",
            "ordered classes",
            "grades, stages, stars",
            {},
        ),
    ]


def references() -> dict[str, Any]:
    """Give two models that always answer, to measure the others against."""
    return {
        "forest, always answers": plain(forest()),
        "naive Bayes, always answers": binned(NaiveCredalClassifier(epsilon=1.0)),
    }


def study() -> Study:
    """Cross all measured models with all data sets."""
    measured = {name: model for entry in entries() for name, model in entry.measured.items()}
    return Study(references() | measured, DATASETS, folds=10, measures=MEASURES)


def means(design: Study, results: pd.DataFrame) -> pd.DataFrame:
    """Average every measure over data sets, with the mean ranks by u65 and u80."""
    tables = {name: design.table(results, name) for name in (*MEASURES, "seconds")}
    found = pd.DataFrame({name: table.mean() for name, table in tables.items()})
    for name in ("u65", "u80"):
        found[f"rank {name}"] = friedman_nemenyi(tables[name]).mean_ranks
    return found.sort_values("u65", ascending=False)


HEAD = """# All models side by side

What each model of {{py:mod}}`cautious.models` promises, what it needs, and when to take it; then
what they reach on the same {sets} data sets. `python tools/model_table.py STORE --write
docs/models.md` measures and writes this page.

| model | holds on new cases | needs | take it when |
| --- | --- | --- | --- |
"""

MEASURED = """
## Measured

Ten folds of {sets} bundled data sets ({names}), the mean over data sets. *Coverage* is the share of
cases that get a single class, *containment* the share of sets that hold the truth, *size* the mean
number of classes in a set. Seconds are for fitting and predicting one fold, on one core of a Xeon.
Models for categories see numbers discretised by `MDLDiscretizer`; models over a forest see
categories as whole numbers.

Some models need more than features and classes and are not measured: {unmeasured}. *s* is the
strength of the prior, in cases. `tools/model_table.py` has every setting.

A model that always answers gets its accuracy as u65 and as u80. Where a model abstains, it names
all classes, and u65 pays little for many classes. So models that keep a limit, or hold the truth in
a stated share of cases, do not aim at the first two columns; models made for sets do.

{table}

![Mean ranks by u65, with bars that join what Nemenyi's test cannot tell apart][ranks]

{words}

[ranks]: _static/models-u65.svg
"""


def page(design: Study, results: pd.DataFrame, folder: Path) -> str:
    """Write the page; the picture goes to ``_static`` beside it."""
    import matplotlib as mpl  # not needed where the models are only measured

    from cautious.displays import ComparisonDisplay

    lines = [
        f"| {{py:class}}`~cautious.models.{e.name}` | {e.promises} | {e.needs} | {e.take} |"
        for e in entries()
    ]
    found = means(design, results)
    heads = ["u65", "u80", "coverage", "containment", "size", "seconds", "rank u65", "rank u80"]
    digits = [3, 3, 3, 3, 2, 2, 1, 1]
    columns = [*MEASURES, "seconds", "rank u65", "rank u80"]
    rows = [f"| what | {' | '.join(heads)} | class |", f"| --- |{' ---: |' * len(heads)} --- |"]
    classes = {name: f"`{entry.name}`" for entry in entries() for name in entry.measured}
    for name, row in found.iterrows():
        cells = [f"{row[c]:.{d}f}" for c, d in zip(columns, digits, strict=True)]
        rows.append(f"| {name} | {' | '.join(cells)} | {classes.get(str(name), '–')} |")
    test = friedman_nemenyi(design.table(results, "u65"))
    failed = int(results["failure"].notna().sum())
    words = (
        f"Friedman's test of equal mean ranks by u65: p = {test.p_value:.2g}. Mean ranks further "
        f"apart than {test.critical_difference:.2f} differ by Nemenyi's test at the 5 % level. "
        f"{len(results)} fits, {failed} of them failed."
    )
    with mpl.rc_context({"svg.hashsalt": "cautious", "svg.fonttype": "none"}):
        drawn = ComparisonDisplay(design.table(results, "u65"), kind="ranks")
        drawn.plot(name="Mean ranks by u65")
        drawn.figure_.savefig(
            folder / "_static" / "models-u65.svg", metadata={"Date": None}, bbox_inches="tight"
        )
    unmeasured = ", ".join(f"`{entry.name}`" for entry in entries() if not entry.measured)
    known = {"sets": len(DATASETS), "names": ", ".join(DATASETS), "unmeasured": unmeasured}
    text = HEAD.format(**known) + "\n".join(lines) + "\n"
    return text + MEASURED.format(**known, table="\n".join(rows), words=words)


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path, metavar="STORE", help="SQLite file of results")
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes; all cores")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page, too")
    wanted = parser.parse_args()
    design = study()
    results = design.run(
        wanted.store, n_jobs=wanted.jobs, timeout=600, progress=True, retry_failures=True
    )
    print(means(design, results).round(3).to_string())
    for _, row in results[results["failure"].notna()].iterrows():
        print("failed:", row["dataset"], row["model"], row["failure"])
    if wanted.write is not None:
        wanted.write.write_text(page(design, results, wanted.write.parent), encoding="utf-8")


if __name__ == "__main__":
    main()
