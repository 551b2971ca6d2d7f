"""What is known about the bundled data sets: the frame of facts, and each set's description."""

from __future__ import annotations

import difflib
import textwrap
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import pandas as pd

__all__ = ["list_datasets"]

_PAPERS = {
    "ferri": "Ferri & Hernández-Orallo (2004)",
    "friedel": "Friedel, Rückert & Kramer (2006)",
    "yang": "Yang, Destercke & Masson (2017)",
    "zaffalon": "Zaffalon, Corani & Mauá (2012)",
}


def data_folder() -> Traversable:
    """Where the bundled files are, in a folder or in a zipped package."""
    return files("cautious.datasets") / "data"


def list_datasets() -> pd.DataFrame:
    """List the bundled data sets and the facts about them.

    Returns
    -------
    pandas.DataFrame
        One row a data set, indexed by ``name``, with the columns

        ``rows``, ``features``, ``nominal_features``, ``missing_cells``
            Counts; features and missing cells leave the class out.
        ``classes``, ``classes_declared``
            Classes that occur, and classes the source declares (some never occur).
        ``class_attribute``, ``ordinal``
            Name of the class column, and whether its classes are grades.
        ``friedel``, ``ferri``, ``yang``, ``zaffalon``
            Whether the paper uses the set. Zaffalon's paper does not list its 55 sets, of 2 to 36
            features; ``zaffalon`` marks the candidates.
        ``idsia54``
            Whether the set is one of 54 on a list of IDSIA, the institute of Zaffalon, Corani and
            Mauá.
        ``source``, ``source_version``, ``source_sha256``, ``licence_note``, ``verified``, ``notes``
            Where the file came from, what is known of its licence, how it was checked, oddities.
        ``sha256``
            Digest of the bundled file, uncompressed.

    Examples
    --------
    >>> facts = list_datasets()
    >>> facts.loc["iris", ["rows", "features", "classes"]].tolist()
    [150, 4, 3]
    >>> facts.index[facts.ordinal].tolist()
    ['ERA', 'ESL', 'LEV', 'SWD']
    >>> facts.index[facts.friedel].tolist()
    ['breast-w', 'bupa', 'credit-a', 'diabetes', 'haberman', 'vote']
    """
    return _facts().copy()


@cache
def _facts() -> pd.DataFrame:
    with (data_folder() / "facts.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file, index_col="name", keep_default_na=False)


def check_name(name: str) -> str:
    """Return ``name`` if such a set is bundled; otherwise say which names come nearest."""
    known = _facts().index
    if not isinstance(name, str):
        raise TypeError(
            f"name is {name!r}; give the name of a data set, for example 'iris'. "
            "list_datasets() lists them."
        )
    if name in known:
        return name
    in_lower_case = {known_name.lower(): known_name for known_name in known}
    asked = name.lower()
    near = difflib.get_close_matches(asked, in_lower_case, n=3, cutoff=0.55)
    near += [other for other in in_lower_case if asked and other.startswith(asked)]
    named = [repr(in_lower_case[other]) for other in dict.fromkeys(near)]
    hint = f" Did you mean {' or '.join(named)}?" if named else ""
    raise ValueError(
        f"name is {name!r}; there is no such data set.{hint} "
        f"list_datasets() lists all {len(known)} names."
    )


def describe(name: str, unobserved: list[str]) -> str:
    """Write the ``DESCR`` of a set: its size, its origin, and what to beware of."""
    fact = _facts().loc[name]
    kind = "ordinal" if fact.ordinal else "nominal"
    used = [paper for key, paper in _PAPERS.items() if fact[key]]
    lines = [
        f"{fact.rows} rows, {fact.features} features ({fact.nominal_features} of them nominal), "
        f"{fact.missing_cells} missing cells; {fact.classes} classes ({kind}) in the column "
        f"{fact.class_attribute!r}.",
        f"Declared but never observed: {', '.join(unobserved)}." if unobserved else "",
        f"Notes: {fact.notes}." if fact.notes else "",
        f"Source: {fact.source} ({fact.source_version}).",
        f"Licence: {fact.licence_note}.",
        f"Verified: {fact.verified}.",
        f"Papers: {'; '.join(used)}.",
    ]
    body = "\n".join(textwrap.fill(line, 88, subsequent_indent="  ") for line in lines if line)
    return f"{name}\n{'=' * len(name)}\n{body}\n"
