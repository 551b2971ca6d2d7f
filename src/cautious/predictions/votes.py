"""Votes: several answers to one question become one answer, and how sure it is."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd

from cautious._labels import plain_label
from cautious.errors import shown

Equality = Callable[[Any, Any], bool]


def majority_vote(
    answers: Iterable[Sequence[Any]] | pd.DataFrame, *, equal: str | Equality = "exact"
) -> pd.DataFrame:
    r"""Take the answer that most of several answers agree on, and say how many do.

    Ask one model several times, or several models once; how many agree is a confidence for
    ``tune(…, correct=, confidence="share")``, often a better one than what a model says of itself.

    Parameters
    ----------
    answers : iterable of sequences, or frame
        The answers to each question, one row per question. A missing answer (None or NaN) votes for
        none, but counts among those asked.
    equal : {"exact", "normalised"} or callable, default="exact"
        When two answers are the same: equal as they are; equal but for capitals, spaces and
        punctuation; or ``equal(one, other)`` says so. An answer joins the first group whose first
        member it equals.

    Returns
    -------
    DataFrame
        Columns ``answer``, the first one given of the largest group; ``share`` of the answers asked
        for that are in it; ``margin``, that share less that of the next largest group; ``asked``.
        Of groups of one size the first one is taken. Where all are missing the answer is None and
        the share 0.

    Notes
    -----
    With :math:`v_1 \ge v_2` the votes of the two largest groups among m answers, the share is
    :math:`v_1 / m` and the margin :math:`(v_1 - v_2) / m` (self-consistency: Wang et al. 2023).

    Examples
    --------
    >>> rows = [["Paris", "paris.", "Lyon"], ["4", "5", None]]
    >>> majority_vote(rows, equal="normalised")
      answer     share    margin  asked
    0  Paris  0.666667  0.333333      3
    1      4  0.333333  0.000000      3
    """
    if equal not in ("exact", "normalised") and not callable(equal):
        raise ValueError(
            f"equal is {shown(equal)}; choose 'exact' or 'normalised', or give a function of two "
            "answers."
        )
    index, rows = None, answers
    if isinstance(answers, pd.DataFrame):
        index, rows = answers.index, answers.to_numpy(dtype=object).tolist()
    found = [_voted(row, equal) for row in rows]
    if not found:
        raise ValueError("there are no answers; give one row per question.")
    frame = pd.DataFrame(found, index=index, columns=["answer", "share", "margin", "asked"])
    return frame.assign(answer=pd.Series([row[0] for row in found], frame.index, dtype=object))


def _voted(row: Any, equal: str | Equality) -> tuple[Any, float, float, int]:
    """Vote on one question."""
    if isinstance(row, str) or not len(row):
        raise ValueError(f"a row of answers is {shown(row)}; give a list of at least one answer.")
    groups: list[list[Any]] = []  # a first member, what it is compared by, and the votes
    for answer in row:
        if plain_label(answer) is None:
            continue
        key = _normalised(answer) if equal == "normalised" else answer
        for group in groups:
            if equal(group[0], answer) if callable(equal) else group[1] == key:
                group[2] += 1
                break
        else:
            groups.append([answer, key, 1])
    if not groups:
        return None, 0.0, 0.0, len(row)
    votes = sorted((group[2] for group in groups), reverse=True)
    best = next(group for group in groups if group[2] == votes[0])
    return best[0], votes[0] / len(row), (votes[0] - sum(votes[1:2])) / len(row), len(row)


def _normalised(answer: Any) -> str:
    """Reduce an answer to its letters and digits, without capitals."""
    text = unicodedata.normalize("NFKC", str(answer)).casefold()
    return "".join(sign for sign in text if sign.isalnum()) or text
