"""Writing a file so that nobody ever sees half of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["write_aside"]


def write_aside(path: Path, text: str) -> None:
    """Write a text file aside and rename it: a reader sees the old file or the new one.

    A symbolic link stays one, and what it points to is replaced. Devices and pipes cannot be
    replaced and are written to.

    Parameters
    ----------
    path : Path
        File to write, in a folder that is there.
    text : str
        What to write, in UTF-8.
    """
    check_writable(path)
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8", newline="")
        return
    target = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(prefix=".cautious-", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        # mkstemp makes files only their owner may read; what is written here is to be passed on.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def check_writable(path: Path) -> None:
    """Make sure that a file can be written there, before any work is done for it."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name the file to write.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path.parent} is no folder; make it first.")
