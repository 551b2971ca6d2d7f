"""Which column holds what: as the user says, and guessed where nothing is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cautious.cli.hints import heading_hint, label_hint
from cautious.cli.options import Given
from cautious.logs.columns import Columns, guess_columns, listed, prefixed

__all__ = ["described", "settle_columns"]

# Names of scores that are taken only where there is none of the usual ones.
_OTHER_SCORES = ("y_prob", "y_proba", "y_pred_proba", "confidence")
_ANSWERS = ("y_pred", "pred", "prediction", "predicted", "y_hat")


def settle_columns(names: Sequence[str], given: Given) -> Columns:
    """Settle the columns of a table.

    Parameters
    ----------
    names : sequence of str
        Columns of the table.
    given : Given
        What the user says; it goes before every guess.

    Examples
    --------
    >>> settle_columns(["id", "outcome", "risk"], Given(truth="outcome", score="risk")).score
    'risk'
    """
    for option in ("truth", "score", "model", "weight", "group"):
        _check(names, option, getattr(given, option))
    _check(names, "id", given.case)
    if given.score is not None and given.proba is not None:
        raise ValueError("--score and --proba are both given; give one of them.")
    asked = given.score or given.proba or given.sets
    try:
        # What is asked for stands in for the guess, so that guessing cannot fail on it.
        guess = guess_columns([*names, "score"] if asked else names, truth=given.truth)
    except ValueError as error:
        other = None if asked else _other_score(names)
        if other is not None:
            return settle_columns(names, given._replace(score=other))
        message = str(error).replace("truth=", "--truth")
        raise ValueError(
            f"{message} Or say which with --score, --proba or --sets.{_answers_hint(names)}"
            f"{heading_hint(names)}"
        ) from None
    found = replace(
        guess,
        model=given.model or guess.model,
        weight=given.weight or guess.weight,
        group=given.group or guess.group,
    )
    if not asked:
        return found
    proba = {} if given.proba is None else _with_prefix(names, "proba", given.proba)
    sets, members = given.sets, {}
    if given.sets is not None and given.sets not in names:
        sets, members = None, _with_prefix(names, "sets", given.sets)
    return replace(found, score=given.score, proba=proba, members=members, sets=sets)


def _other_score(names: Sequence[str]) -> str | None:
    """Find a score by its rarer names; beside answers, confidence is in those, and is no score."""
    known = {name.strip().lower(): name for name in names}
    wanted = _OTHER_SCORES[:-1] if known.keys() & set(_ANSWERS) else _OTHER_SCORES
    return next((known[name] for name in wanted if name in known), None)


def _answers_hint(names: Sequence[str]) -> str:
    answers = [name for name in names if name.strip().lower() in _ANSWERS]
    return f" If {answers[0]!r} holds single answers: --sets {answers[0]}" if answers else ""


def described(columns: Columns, names: Sequence[str], positive: str | None = None) -> str:
    """Say which columns were taken for what, and which were left out.

    ``positive`` is the class that a high score speaks for, where there are scores.
    """
    several = {
        "probabilities": list(columns.proba.values()),
        "set": [columns.sets] if columns.sets else list(columns.members.values()),
    }
    parts = [f"truth {columns.truth!r}"]
    for what in ("score", "model", "weight", "group"):
        name = getattr(columns, what)
        if name is not None:
            speaks_for = f" for {positive!r}" if what == "score" and positive is not None else ""
            parts.append(f"{what} {name!r}{speaks_for}")
    parts += [f"{what} {_some(found)}" for what, found in several.items() if found]
    if columns.proba and positive is not None:
        parts.append(f"positive {positive!r}")
    ignored = [name for name in names if name not in columns.names()]
    return ", ".join(parts) + (f"; ignored {_some(ignored)}" if ignored else "")


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:4])
    return shown + (f", … {len(names)} in all" if len(names) > 4 else "")


def _check(names: Sequence[str], option: str, name: str | None) -> None:
    if name is None or name in names:
        return
    hint = label_hint(name, names, cutoff=0.5)
    raise ValueError(f"--{option} is {name!r}, but the columns are {listed(list(names))}.{hint}")


def _with_prefix(names: Sequence[str], option: str, prefix: str) -> dict[str, str]:
    found = prefixed(names, (prefix.lower(),))
    if not found:
        raise ValueError(
            f"--{option} is {prefix!r}, but no column is called or begins so; the columns are "
            f"{listed(list(names))}."
        )
    return found
