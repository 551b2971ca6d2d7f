"""The other library has to be there."""

from __future__ import annotations

from importlib.util import find_spec

from cautious.errors import how_to_install

__all__ = ["check_installed"]


def check_installed(function: str, extra: str, *packages: str) -> None:
    """Say what to install, before anything is done.

    Parameters
    ----------
    function : str
        What was called.
    extra : str
        Name of the extra that brings the packages.
    *packages : str
        What the function imports.

    Examples
    --------
    >>> check_installed("to_stone", "stone", "no_stone")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ImportError: to_stone needs no_stone, which is not installed; pip install ...
    """
    for package in packages:
        if find_spec(package) is None:
            raise ImportError(
                f"{function} needs {package}, which is not installed; {how_to_install(extra)}."
            )
