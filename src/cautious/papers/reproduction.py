"""One call for each paper, or for all of them."""

from __future__ import annotations

import difflib
import math
import time
import warnings
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from cautious.papers.claims import Reproduction
from cautious.papers.markdown import write_reproduction_page
from cautious.papers.pictures import save_figures

__all__ = ["PAPERS", "reproduce"]

PAPERS = {
    "ferri": "Ferri & Hernández-Orallo (2004), Cautious classifiers",
    "friedel": "Friedel, Rückert & Kramer (2006), Cost curves for abstaining classifiers",
    "zaffalon": "Zaffalon, Corani & Mauá (2012), Evaluating credal classifiers",
    "yang": "Yang, Destercke & Masson (2017), The costs of indeterminacy",
}
"""The papers that can be done again, by key."""
WITH_WEKA = {"ferri", "friedel"}


def reproduce(
    paper: str = "all",
    *,
    quick: bool = False,
    folder: str | Path | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    weka: bool | None = None,
    docs: str | Path | None = None,
) -> list[Reproduction]:
    """Do the experiments of a paper again and lay the numbers beside the printed ones.

    Parameters
    ----------
    paper : {"all", "ferri", "friedel", "zaffalon", "yang"}, default="all"
        Which paper.
    quick : bool, default=False
        Fewer repeats, data sets and points: some minutes instead of hours.
    folder : path, optional
        Where results are kept while they come, so that an interrupted run goes on, and where the
        tables, the data of the figures and, with matplotlib, their pictures are written; for all
        papers also ``REPRODUCTION.md``, a page on what reproduces. None keeps and writes nothing.
    n_jobs : int, optional
        Processes, as joblib takes it.
    progress : bool, optional
        Whether to show progress on stderr; None if it is a terminal.
    weka : bool, optional
        Whether to run WEKA's own learners beside scikit-learn's for the papers that used them
        (Ferri, Friedel); None where Java and WEKA are found (``pip install cautious[weka]``).
    docs : path, optional
        Folder of a documentation, for all papers only; gets the page as ``reproduction.md``, and
        its pictures in ``_static``.

    Returns
    -------
    list of Reproduction
        One per paper. Print it, or look at its ``tables`` and ``figures``;
        :class:`ReproducedFigureDisplay` draws a figure.

    Examples
    --------
    >>> from cautious.papers import reproduce
    >>> (yang,) = reproduce("yang", quick=True)  # doctest: +SKIP
    >>> print(yang)  # doctest: +SKIP
    """
    if paper != "all" and paper not in PAPERS:
        near = difflib.get_close_matches(str(paper), [*PAPERS, "all"], n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"paper is {paper!r}; choose 'all' or one of {', '.join(PAPERS)}.{hint}")
    if docs is not None and paper != "all":
        raise ValueError(f"docs is for the page of all papers; give paper='all', not {paper!r}.")
    place = None if folder is None else Path(folder)
    done = []
    for key in PAPERS if paper == "all" else [paper]:
        module = import_module(f"cautious.papers.{key}")
        run = getattr(module, f"reproduce_{key}")
        started = time.perf_counter()
        options = {"weka": weka} if key in WITH_WEKA else {}
        found: Reproduction = run(
            quick=quick, folder=place, n_jobs=n_jobs, progress=progress, **options
        )
        if math.isnan(found.seconds):
            found = replace(found, seconds=time.perf_counter() - started)
        if place is not None:
            found.write(place)
        done.append(found)
    if place is not None:
        try:
            for found in done:
                save_figures(found, place)
        except ImportError as error:
            warnings.warn(f"no pictures: {error}", stacklevel=2)
        if paper == "all":
            write_reproduction_page(done, place / "REPRODUCTION.md")
    if docs is not None:
        pages = Path(docs)
        write_reproduction_page(done, pages / "reproduction.md", pictures=pages / "_static")
    return done
