"""The command ``audit``: ten properties of a table of costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from cautious.cli.console import make_table, note, say, screen, write_data
from cautious.cli.options import option, takes
from cautious.errors import listed

if TYPE_CHECKING:
    import pandas as pd

    from cautious.costs import SetCosts
    from cautious.costs._audit import Audit

_STYLES = {"holds": None, "not refuted": None, "fails": "yellow", "not shown": "yellow"}
_MEAN = "single classes, extended to sets by the mean"
_SEED_HELP = "Seed of the sample of sets, where more than 12 classes have too many."


@takes(
    "file extension r random_state json csv",
    random_state=option(int, _SEED_HELP, "--seed", default=0),
)
def audit(
    file: str, extension: str | None, r: float | None, random_state: int, json: bool, csv: bool
) -> None:
    """Judge a table of costs by ten properties, for filtering and for choice.

    [bold]Example:[/] costs.csv has a row and a column for each class.

        cautious audit costs.csv --extension cautious --r 0.5
    """
    from cautious.costs import audit as audit_costs

    costs, words = _costs(file, extension, r)
    _notice_rewards(costs)
    found = audit_costs(costs, random_state=random_state)
    properties, uses = found.frame().to_dict("index"), found.uses.to_dict("index")
    document = {"costs": words, "properties": properties, "verdict": uses}
    if not write_data(found.frame, lambda: document, json=json, csv=csv):
        _show(found, words)
        if words == _MEAN:
            say("No table passes with the plain mean: try --extension cautious.")


def _costs(file: str, extension: str | None, r: float | None) -> tuple[SetCosts, str]:
    """Read a table of sets as it is; extend one of single classes."""
    from cautious.costs import SetCosts
    from cautious.costs._forms import read_cost_table

    table = read_cost_table(file)
    answers, classes = list(table.index), list(table.columns)
    if any("|" in name or name.startswith("{") for name in classes) and {*answers} < {*classes}:
        raise ValueError(
            f"{file}: the columns are {listed(classes, 6)} and the rows {listed(answers, 6)}; "
            "answers are rows, truths are columns. Transpose the table."
        )
    try:
        if sorted(answers) == sorted(classes):
            return _extended(table.loc[classes], extension, r)
        given = {"--extension": extension, "--r": r}
        if unused := [name for name, value in given.items() if value is not None]:
            note(f"note: not used, since the table lists sets itself: {', '.join(unused)}")
        return SetCosts.from_table(table), "the sets of the table"
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _notice_rewards(costs: SetCosts) -> None:
    """Notice a right answer that is more expensive than a wrong one."""
    matrix, classes = costs.singletons(), costs.classes or range(costs.n_classes)
    rows, columns = (matrix < matrix.diagonal()).nonzero()
    if len(rows):
        i, y = int(rows[0]), int(columns[0])
        note(
            f"note: when {str(classes[y])[:60]!r} is true, the answer {str(classes[i])[:60]!r} "
            f"costs {matrix[i, y]:g}, less than the right one ({matrix[y, y]:g}). Answers are "
            "rows, truths are columns: transpose the table, or turn rewards into costs, unless "
            "this is meant."
        )


def _extended(matrix: pd.DataFrame, extension: str | None, r: float | None) -> tuple[SetCosts, str]:
    from cautious.costs import abellan_masegosa, discounted, p_discounted

    if r is not None and extension not in ("cautious", "averse"):
        note("note: --r is not used: it is for --extension cautious and averse")
    if extension in (None, "discounted"):
        return discounted(matrix), _MEAN
    if extension == "abellan-masegosa":
        return abellan_masegosa(matrix), "single classes, extended to sets by Abellán and Masegosa"
    attitude: Literal["cautious", "averse"] = "cautious" if extension == "cautious" else "averse"
    r = 0.5 if r is None else r
    words = f"single classes, extended to sets by p-discounting ({attitude}, r = {r:g})"
    return p_discounted(matrix, r=r, attitude=attitude), words


def _show(found: Audit, words: str) -> None:
    console, frame = screen(), found.frame()
    say(f"Costs of {words}; over {frame['sets'].iloc[0]}")
    console.print()
    rows = [
        (number, row["property"], row["verdict"], found.witness_text(number))
        for number, row in zip(frame.index.tolist(), frame.to_dict("records"), strict=True)
    ]
    styles = [_STYLES[row[2]] for row in rows]
    headings = ["", "property", "verdict", "witness"]
    console.print(make_table(headings, rows, styles=styles, longest=120), "", sep="\n")
    for line in found.use_lines():
        say(line)
