"""Files on disk: which ones a path stands for, atomic writes that lose none, JSON read strictly."""

from __future__ import annotations

import errno
import glob
import hashlib
import json
import math
import os
import secrets
import stat
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import IO, Any

from cautious._input_limits import JSON, JSON_DEPTH
from cautious.errors import quoted, shown

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PARQUET = (".parquet", ".parq", ".pq")
ARROW = (".arrow", ".arrows", ".feather")
CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
JSON_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
"""Endings of the names of files that are read out of a folder or a pattern."""

WRITTEN: ContextVar[list[Path] | None] = ContextVar("WRITTEN", default=None)
"""Gets the files that are written whole, if it holds a list: what an interrupt is too late for."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_STALE = 3600.0  # seconds
_MOMENT = 0.05


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file atomically: a reader sees the old file or the new one, never a part of it."""
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
    return Path(path)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file to be written atomically, as :func:`write_whole` does, piece by piece."""
    path = Path(path)
    check_output(path)
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            _note_written(path)  # what is in a pipe cannot be taken back
            yield file
        return
    target = Path(os.path.realpath(path))
    own = f".cautious-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:8]}-"
    _clear_stale(target.parent, own)
    aside = target.with_name(own + secrets.token_hex(8))
    mode = stat.S_IMODE(target.stat().st_mode) & 0o777 if target.exists() else None
    # The system applies the umask itself: asking for it would change it for other threads.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(aside, flags, 0o666 if mode is None else mode)
    except OSError as error:  # the name of the file aside means nothing to anybody
        words = f"{error.strerror}; nothing can be written beside it"
        raise type(error)(error.errno, words, str(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(aside, mode)
        os.replace(aside, target)
        _note_written(path)
    except BaseException as error:
        aside.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in _NO_ROOM and error.filename is None:
            words = f"{error.strerror}; it is as it was before"
            raise OSError(error.errno, words, str(path)) from None
        raise


def _note_written(path: Path) -> None:
    if (written := WRITTEN.get()) is not None and path not in written:
        written.append(path)


def _clear_stale(folder: Path, beginning: str) -> None:
    """Remove what nobody has written to for so long: its writer was killed."""
    with suppress(OSError), os.scandir(folder) as found:
        for left in found:
            if left.name.startswith(beginning) and left.is_file(follow_symlinks=False):
                written = left.stat(follow_symlinks=False).st_mtime
                if written < time.time() - _STALE:
                    os.unlink(left.path)


@contextmanager
def file_lock(
    path: str | os.PathLike[str], waiting: Callable[[], object] | None = None
) -> Iterator[None]:
    """Keep other processes away while a file is read and written anew."""
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.lock")
    told = False
    while (handle := _taken(beside)) is None:
        if not told and waiting is not None:
            waiting()
        told = True
        time.sleep(_MOMENT)
    try:
        yield
    finally:
        with suppress(OSError):  # Windows does not remove what is open; an empty file stays
            beside.unlink()
        os.close(handle)


def _taken(lock: Path) -> int | None:
    """Lock a file that is made if need be, and give its handle; None if somebody else has it."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Whoever had it has removed the file: then this one is nobody's lock any more.
        if os.path.samestat(os.fstat(handle), os.stat(lock)):
            return handle
    except (BlockingIOError, PermissionError, FileNotFoundError):
        pass
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def jsonable(value: Any, *, nan: str | None = None, short: bool = False) -> Any:
    """Turn a value into what JSON holds and every reader takes."""
    if hasattr(value, "tolist"):  # an array or a number of numpy
        value = value.tolist()
    if isinstance(value, Mapping | list | tuple):
        plain = partial(jsonable, nan=nan, short=short)
        if isinstance(value, Mapping):
            return dict(zip(map(str, value), map(plain, value.values()), strict=True))
        return list(map(plain, value))
    if isinstance(value, float):
        if not math.isfinite(value):
            return nan if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return int(value) if short and value.is_integer() and abs(value) < 2**53 else value
    return value if value is None or isinstance(value, bool | int) else str(value)


def read_bounded(path: str | os.PathLike[str], most: int) -> bytes:
    """Read a file or a pipe of at most so many bytes; a folder or more bytes are refused."""
    if os.path.isdir(path):
        raise ValueError("it is a folder")
    with open(path, "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it has more than {most:,} bytes")
    return content


def parsed_json(text: str, most: int = JSON) -> Any:
    """Read JSON strictly: of bounded size and depth, no key twice, no NaN."""
    if len(text) > most:
        raise ValueError(f"it has more than {most:,} characters")
    try:
        value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=once)
        deep = _is_deeper(value, JSON_DEPTH)
    except RecursionError:
        deep = True
    if deep:
        raise ValueError(f"it is nested more than {JSON_DEPTH} deep")
    return value


def _refuse_constant(constant: str) -> float:
    raise ValueError(f'{constant} is no number of JSON; infinite ones are written "Infinity"')


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a mapping of names that stand once each."""
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name in found if times[name] > 1)
        raise ValueError(f"{quoted(twice)} is given twice")
    return found


def _is_deeper(value: Any, most: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return most < 0 or any(_is_deeper(part, most - 1) for part in parts)


def check_output(path: str | os.PathLike[str]) -> None:
    """Make sure that a file can be written."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{shown(str(path))} is a folder; name the file to write.")
    folder = Path(os.path.realpath(path)).parent  # a file is replaced where it really is
    for parent in (path.parent, folder):
        if not parent.is_dir():
            raise FileNotFoundError(f"{shown(str(parent))} is no folder; make it first.")
    if (path.is_file() or not path.exists()) and not os.access(str(folder), os.W_OK):
        raise PermissionError(
            f"{path} cannot be written: the folder {folder} is read-only; name a file in another "
            "folder."
        )


def check_paths(*, inputs: Iterable[Any], outputs: Iterable[Any]) -> None:
    """Make sure that all outputs can be written, and that none is an input or another output."""
    # Those that are None, - or elsewhere (s3://) are not looked at.
    sources, targets = ([one for one in map(_local, group) if one] for group in (inputs, outputs))
    for at, target in enumerate(targets):
        check_output(target)
        path = Path(target)
        for source in sources:
            if _is_among(path, source):
                part = "" if Path(source) == path else f" as part of {source}"
                raise ValueError(
                    f"the file to write is {path}, which is read{part}; name another file to write."
                )
        if any(_is_same(path, Path(other)) for other in targets[:at]):
            raise ValueError(f"the file {path} is to be written twice; name another file.")


def _local(path: Any) -> str:
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else ""
    return "" if name == "-" or "://" in name else name


def _is_same(one: Path, other: Path) -> bool:
    """Whether two paths are one file, which may not be there yet."""
    if one.exists() and other.exists():
        return one.is_file() and one.samefile(other)
    return os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other))


def _is_among(path: Path, source: str) -> bool:
    """Whether a file is, or would be, among those that an input stands for."""
    if os.path.isdir(source) and _is_data(path):
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(source))
    try:
        return path.is_file() and any(path.samefile(file) for file in data_files(source))
    except FileNotFoundError:  # whoever reads says so, better
        return False


def data_files(path: str | os.PathLike[str]) -> list[str]:
    """List the files that a path stands for, in order."""
    path = os.fspath(path)
    if os.path.isdir(path):
        found = [str(file) for file in Path(path).rglob("*") if not _is_hidden(file, path)]
    elif os.path.exists(path):
        return [path]
    elif glob.has_magic(path):
        found = glob.glob(path, recursive=True)
    else:
        raise FileNotFoundError(f"there is no file {shown(path)}.")
    files = sorted(name for name in found if _is_data(name) and os.path.isfile(name))
    if files:
        return files
    folders = [] if os.path.isdir(path) else sorted(filter(os.path.isdir, found))
    if folders:
        raise FileNotFoundError(
            f"{shown(path)} stands for folders only, such as {shown(folders[0])}; name one folder "
            f"to read all files in it, or write {shown(os.path.join(path, '*.parquet'))}."
        )
    raise FileNotFoundError(
        f"{shown(path)} holds no file whose name ends in {', '.join(PARQUET + ARROW + CSV)}."
    )


def _is_data(name: str | Path) -> bool:
    return str(name).lower().endswith(PARQUET + ARROW + CSV + JSON_LINES)


def _is_hidden(file: Path, root: str) -> bool:
    """Leave out what writers hide, such as ``_SUCCESS`` and ``.part.crc``."""
    return any(part.startswith((".", "_")) for part in file.relative_to(root).parts)
