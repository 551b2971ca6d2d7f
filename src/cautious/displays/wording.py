"""Labels that anyone may have written, made fit to be drawn."""

from __future__ import annotations

from typing import Any

__all__ = ["plain_text"]

MOST_CHARACTERS = 32


def plain_text(label: Any, *, most: int = MOST_CHARACTERS) -> str:
    r"""Write a class or model name so that matplotlib draws it as it stands.

    Matplotlib reads text between dollar signs as a formula, which fails when it is none, and leaves
    names that begin with an underscore out of legends. Very long names would push everything else
    off the figure.

    Parameters
    ----------
    label : object
        Any label; its ``str`` is drawn.
    most : int, default=32
        How many characters to keep; the rest becomes an ellipsis.

    Returns
    -------
    str

    Examples
    --------
    >>> plain_text("cost in $ and \n£"), plain_text("x" * 10_000, most=5)
    ('cost in \\$ and £', 'xxxx…')
    """
    printable = "".join(c if c.isprintable() else " " for c in str(label)[: 4 * most])
    text = " ".join(printable.split())
    shortened = len(text) > most or len(str(label)) > 4 * most
    if shortened:
        text = text[: most - 1].rstrip() + "…"
    text = text.replace("$", r"\$") or "(no name)"
    # An invisible space in front: the name stays in the legend and looks the same.
    return f"\u200b{text}" if text.startswith("_") else text
