"""The five ways into the library, each from a case of the corpus to the same table of numbers."""

from __future__ import annotations

import contextlib
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.conformance.corpus import COSTS, GRADED_COSTS, Case
from tests.conformance.page import ask_page, file_request, report_request
from tests.conformance.refusals import Refusal

import cautious
from cautious.decision import Rule

SET_MEASURES = (
    "coverage",
    "abstention",
    "error",
    "selective_accuracy",
    "containment",
    "mean_set_size",
    "discounted_accuracy",
    "u65",
    "u80",
)
OTHER_MEASURES = ("aurc", "augrc", "auc", "vacc", "cost")
ALL_MEASURES = (*SET_MEASURES, *OTHER_MEASURES)
Table = dict[str, dict[str, Any]]


def write(given: Case | Refusal, folder: Path) -> Path:
    """Write the file of a case."""
    path = folder / given.file
    content = given.content
    if callable(content):
        import pyarrow.parquet as parquet

        parquet.write_table(content(), path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def reading(options: Mapping[str, Any]) -> dict[str, Any]:
    """What a reader is told about the columns, in the library's names."""
    known = ("truth", "score", "weight", "pos_label", "empty", "missing", "decimal")
    graded = {"correct", "answerable"} & options.keys()
    known += ("correct", "confidence", "answerable") if graded else ()
    return {name: options[name] for name in known if name in options}


def deciding(options: Mapping[str, Any]) -> dict[str, Any]:
    """How answers are made."""
    if "threshold" in options:
        return {"rule": Rule.acceptance(options["threshold"])}
    names = ("window", "utility") if "correct" in options else ("window", "confidence", "utility")
    return {name: options[name] for name in names if name in options}


def pricing(case: Case) -> dict[str, Any]:
    """What answers of two classes cost, where it is known which one is positive."""
    if "correct" in case.options:
        return {"costs": GRADED_COSTS}
    every = [one.positive(case.options) for one in case.models.values()]
    return {} if None in every else {"costs": COSTS}


def tunable(case: Case) -> bool:
    """Whether there is a window to tune."""
    return all(one.score is not None for one in case.models.values())


def library(case: Case, source: Any) -> Table:
    """Call ``evaluate`` and ``tune``."""
    options = reading(case.options)
    found = cautious.evaluate(source, **deciding(case.options), **pricing(case), **options)
    costs = pricing(case).get("costs", COSTS)
    tuned = cautious.tune(source, costs=costs, **options).to_dict() if tunable(case) else None
    return _table(found.to_dict(), tuned)


def frames(case: Case) -> dict[str, Any]:
    """The same table as frames of several kinds, where the case has typed columns."""
    if not callable(case.content):
        return {}
    import polars

    table = case.content()
    found = {"arrow": table, "polars": polars.from_arrow(table), "pandas": table.to_pandas()}
    found["nullable pandas"] = table.to_pandas().convert_dtypes()
    if case.name == "sets_typed_lists":
        del found["nullable pandas"]
    else:
        found["categorical pandas"] = table.to_pandas().astype({"y_true": "category"})
    return {f"{name} frame": {case.name: frame} for name, frame in found.items()}


def command(case: Case, path: Path, *, engine: str | None = None) -> Table:
    """Run ``cautious evaluate`` and ``cautious tune``."""
    arguments = [str(path), *_options(case.options)]
    rule = []
    for name, value in deciding(case.options).items():
        if name == "rule":
            value = path.with_suffix(".rule.json")
            deciding(case.options)["rule"].to_json(value)
        values = value if isinstance(value, tuple) else (value,)
        rule += [f"--{name}", *map(str, values)]
    engines = [] if engine is None else ["--engine", engine]
    priced = pricing(case).get("costs", COSTS)
    costs = [f"--{name.replace('_', '-')}={value}" for name, value in priced.items()]
    prices = costs if pricing(case) else []
    found = json.loads(run("evaluate", *arguments, *rule, *engines, *prices, "--json"))
    tuned = None
    if tunable(case) and engine is None:
        tuned = json.loads(run("tune", *arguments, *costs, "--json"))
    return _table(found, tuned)


def _options(options: Mapping[str, Any]) -> list[str]:
    names = {"pos_label": "--positive"}
    found: list[str] = []
    for name, value in reading(options).items():
        if value is False:
            found.append(f"--no-{name}")
            continue
        for one in value if isinstance(value, list) else [value]:
            found += [names.get(name, f"--{name}"), str(one)]
    return found


class CommandError(Exception):
    """What the command line said before it gave up."""


def run(*arguments: str) -> str:
    """Run a command in this process; give what it printed."""
    from cautious.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(arguments))
            status = 0
        except SystemExit as stopped:
            status = stopped.code or 0
    if status:
        raise CommandError(err.getvalue().strip())
    return out.getvalue()


def said(*arguments: str) -> str:
    """What a command says beside what it prints."""
    from cautious.cli import main

    err = io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.suppress(SystemExit):
        main(list(arguments))
    return err.getvalue()


def _table(found: Mapping[str, Any], tuned: Mapping[str, Any] | None) -> Table:
    """Bring what ``evaluate`` and ``tune`` say into the form of the expected table."""
    result: Table = {}
    for name, one in found["models"].items():
        values = {key: row["value"] for key, row in one["measures"].items()}
        row = {key: values[key] for key in ALL_MEASURES if key in values}
        row["n"] = one["n"]
        if tuned is not None:
            keys = ("lower", "upper", "threshold", "cost", "abstention", "error")
            best = tuned["models"][name]
            row["window"] = {key: float(best[key]) for key in keys if key in best}
        row["groups"] = one.get("by_group") or {}
        result[name] = row
    return result


def differences(expected: Table, found: Table) -> list[str]:
    """Say where a table differs from the expected one."""
    wrong = []
    if list(expected) != list(found):
        wrong.append(f"models {list(found)}, expected {list(expected)}")
        return wrong
    for model, row in expected.items():
        wrong += _compared(row, found[model], model)
        undefined = [name for name in found[model] if name in ALL_MEASURES and name not in row]
        wrong += [f"{model}: {name} should not be there" for name in undefined]
    return wrong


def _compared(expected: Mapping[str, Any], found: Mapping[str, Any], where: str) -> list[str]:
    wrong = []
    for name, value in expected.items():
        if name not in found:
            if not (isinstance(value, float) and math.isnan(value)):
                wrong.append(f"{where}: {name} is missing, expected {value}")
        elif isinstance(value, Mapping):
            wrong += _compared(value, found[name], f"{where}: {name}")
        elif not _close(value, found[name]):
            wrong.append(f"{where}: {name} is {found[name]}, expected {value}")
    return wrong


def _close(one: float, two: float | None) -> bool:
    if two is None:
        return math.isnan(one)
    same = one == two or (math.isnan(one) and math.isnan(two))
    return same or math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-9)


def page_options(case: Case | Refusal) -> dict[str, Any]:
    """What the page is told."""
    known = ("truth", "score", "weight", "pos_label", "empty", "window")
    given = {name: case.options[name] for name in known if name in case.options}
    return {name: None if value is False else value for name, value in given.items()}


def dropped(cases: Iterable[Case], folder: Path) -> dict[str, Table]:
    """Drop the files of cases onto the page; one process answers for all of them."""
    every = list(cases)
    requests = [
        file_request(case.file, write(case, folder).read_bytes(), costs=COSTS, **page_options(case))
        for case in every
    ]
    return _answered(every, requests)


def reported(cases: Iterable[Case], folder: Path) -> dict[str, Table]:
    """Build reports, and let the page compute from what they embed."""
    every, requests = list(cases), []
    for case in every:
        page = cautious.build_report(
            write(case, folder), folder / f"{case.name}.html", **reading(case.options)
        )
        window = {"window": case.options["window"]} if "window" in case.options else {}
        requests.append(report_request(page, costs=COSTS, **window))
    return _answered(every, requests)


def notes(cases: Sequence[Case], folder: Path) -> list[dict[str, list[str]]]:
    """What looks odd about each case, in the words of each way."""
    found: list[dict[str, list[str]]] = []
    requests = []
    for case in cases:
        path, options = write(case, folder), reading(case.options)
        page = cautious.build_report(path, folder / f"{case.name}.html", **options)
        dropped_file = file_request(case.file, path.read_bytes(), costs=COSTS, **page_options(case))
        requests += [report_request(page, costs=COSTS), dropped_file]
        found.append(
            {
                "library": [str(one) for one in cautious.read_predictions(path, **options).notes],
                "engine": [str(one) for one in cautious.summarise(path, **options).notes],
            }
        )
    answers = iter(ask_page(requests))
    for one in found:
        report, dropped = next(answers), next(answers)
        one["report"], one["page"] = report["notes"], dropped["notes"] + dropped["doubts"]
    return found


def _answered(cases: Sequence[Case], requests: Sequence[Mapping[str, Any]]) -> dict[str, Table]:
    return {
        case.name: {name: _page_row(row) for name, row in _models(case, answer).items()}
        for case, answer in zip(cases, ask_page(requests), strict=True)
    }


def _models(case: Case, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    assert "error" not in answer, f"{case.name}: {answer['error']}"
    return answer["models"]


def _page_row(row: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: row[name] for name in (*ALL_MEASURES, "n") if row.get(name) is not None}
    if row.get("window") is not None:
        found["window"] = {name: float(value) for name, value in row["window"].items()}
    return found


def expected(case: Case, way: str) -> Table:
    """The table that a way can give of a case."""
    left_out: tuple[str, ...] = ()
    if way == "engine":
        left_out = ("window",)  # tuning reads predictions, not summaries
    if way == "report" and "window" in case.options:
        left_out = SET_MEASURES  # a report holds no scores that a given window could be put on
    if way in ("report", "page"):
        left_out += ("cost",)  # the page prices its own windows and rules, not sets as given
    return {
        model: {name: value for name, value in row.items() if name not in left_out}
        for model, row in case.expected().items()
    }
