"""The paragraphs that all measures' documentation shares, written once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable

__all__ = ["documented"]

_SHARED = {
    "y_true": """
y_true : array-like of shape (n,)
    True class labels.""",
    "y_set": """
y_set : mask of shape (n, K), labels or label sets
    Prediction sets; anything :func:`cautious.sets.as_mask` takes.""",
    "y_score": """
y_score : array-like of shape (n, K) or (n,), optional
    Class scores, usually probabilities: the answer is the class of greatest score (the first of
    equals) and its confidence that score. For two classes, the probability of the positive one
    will do. Not needed if `confidence` and `loss` are given.""",
    "classes": """
classes : sequence of length K, optional
    Class labels in column order; needed where `y_true` does not hold them all.""",
    "pos_label": """
pos_label : label, optional
    The class that a single column of scores is about; not needed where it is plain (0/1, no/yes)
    nor with `classes`, whose second class it is.""",
    "sample_weight": """
sample_weight : array-like of shape (n,), optional
    How often each case counts.""",
    "empty": """
empty : {"error", "abstain", "wrong"}, default="error"
    What an empty prediction set means: a mistake in the data, an abstention, or an answer that
    misses the truth (of size 0), as conformal prediction counts it.""",
    "y_pred": """
y_pred : array-like of shape (n,)
    The class the classifier would have answered had it been forced to answer with one.""",
    "confidence": """
confidence : array-like of shape (n,), optional
    Confidence of each answer, in place of its score.""",
    "loss": """
loss : array-like of shape (n,), optional
    Loss of each answer, in place of 1 for a wrong and 0 for a right one.""",
    "partial": """
partial : {"abstain", "answer"}, default="abstain"
    What a set of several but not all classes counts as: an abstention, or an answer that is right
    if it holds the truth.""",
}

_ORDER = ("Parameters", "Returns", "See Also", "Notes", "References", "Examples")


def documented(doc: str, parameters: Iterable[str], returns: str) -> str:
    """Complete a measure's docstring.

    Parameters
    ----------
    doc : str
        Its own docstring, which describes only the parameters that are its own.
    parameters : iterable of str
        All of its parameters.
    returns : str
        What it returns.

    Returns
    -------
    str
        The docstring with every parameter described.

    Examples
    --------
    >>> documented("Share of yes.", ["y_true"], "float").splitlines()[2:5]
    ['Parameters', '----------', 'y_true : array-like of shape (n,)']
    """
    opening, *rest = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(doc), flags=re.MULTILINE)
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    shared = "".join(_SHARED.get(name, "") for name in parameters)
    sections["Parameters"] = f"{shared}\n{sections.get('Parameters', '')}"
    sections["Returns"] = returns
    parts = [
        f"{title}\n{'-' * len(title)}\n{sections[title].strip()}"
        for title in _ORDER
        if title in sections
    ]
    return "\n\n".join([opening.strip(), *parts]) + "\n"
