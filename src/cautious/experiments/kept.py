"""Out-of-fold predictions, kept in a folder so that an interrupted run goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

from cautious.experiments.progress import track

__all__ = ["kept_predictions"]

Maker = Callable[[], pd.DataFrame]


def kept_predictions(
    makers: Mapping[str, Maker],
    folder: Path | None = None,
    *,
    what: str = "predictions",
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> dict[str, pd.DataFrame]:
    """Make the predictions that a folder does not hold yet, and give all of them.

    Each frame is written when it is made, whole or not at all, by this process alone. Its column
    ``truth`` becomes text; numbers come back from the file to the last bit.

    Parameters
    ----------
    makers : mapping of str to callable
        What to call for each frame, by a name that says all that the frame depends on; it becomes
        the name of a file. Callables must pickle if `n_jobs` asks for processes.
    folder : path, optional
        Made if it is not there. None keeps nothing.
    what : str
        What is made, to show with the progress.
    n_jobs, progress
        As for :meth:`Study.run`.

    Returns
    -------
    dict of str to DataFrame
        In the order of `makers`.

    Examples
    --------
    >>> made = kept_predictions({"one": lambda: pd.DataFrame({"truth": ["a"], "score": [0.1]})})
    >>> made["one"].to_dict("records")
    [{'truth': 'a', 'score': 0.1}]
    """
    found = {}
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for name in makers:
            if (kept := folder / f"{name}.csv").is_file():
                found[name] = _read(kept)
    todo = [(name, make) for name, make in makers.items() if name not in found]
    with track(len(todo), what, show=progress) as bar:
        # One at a time: a batch that is killed loses all of it.
        jobs = Parallel(n_jobs, batch_size=1, return_as="generator_unordered")
        for name, frame in jobs(delayed(_named)(name, make) for name, make in todo):
            found[name] = frame
            if folder is not None:
                aside = folder / f".{name}.part"
                frame.to_csv(aside, index=False)
                aside.replace(folder / f"{name}.csv")
            bar.advance()
    return {name: found[name] for name in makers}


def _named(name: str, make: Maker) -> tuple[str, pd.DataFrame]:
    frame = make()
    return name, frame.assign(truth=frame["truth"].astype(str).astype(object))


def _read(path: Path) -> pd.DataFrame:
    # Python's own float reads to the last bit; pandas has not always done so.
    kinds: dict[str, Any] = dict.fromkeys(pd.read_csv(path, nrows=0).columns, float)
    frame = pd.read_csv(path, converters=kinds | {"truth": str, "fold": int})
    return frame.assign(truth=frame["truth"].astype(object))
