"""Atomic writes, and outputs that are inputs."""

import os
import threading
import time

import pytest

from cautious._files import check_output, check_paths, data_files, file_lock, write_whole


@pytest.fixture
def umask():
    """Set the umask of the process for a test."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def permissions(path):
    return path.stat().st_mode & 0o777


def test_text_and_bytes_are_written_as_they_are(tmp_path):
    assert write_whole(tmp_path / "a.txt", "é\r\n").read_bytes() == b"\xc3\xa9\r\n"
    assert write_whole(str(tmp_path / "a.txt"), b"\x00").read_bytes() == b"\x00"


def test_a_new_file_has_the_permissions_the_process_gives(tmp_path, umask):
    umask(0o022)
    assert permissions(write_whole(tmp_path / "a", "x")) == 0o644
    umask(0o077)
    assert permissions(write_whole(tmp_path / "b", "x")) == 0o600


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_replaced_file_keeps_its_permissions(tmp_path, umask, mode):
    path = tmp_path / "rule.json"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, "new")
    assert (path.read_text(), permissions(path)) == ("new", mode)


def test_the_umask_is_never_touched(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask was changed"))
    write_whole(tmp_path / "a", "x")
    write_whole(tmp_path / "a", "y")


def test_a_planted_link_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for name in (".one.csv.part", ".one.csv", "one.csv.part", ".cautious-"):
        (tmp_path / name).symlink_to(victim)
    write_whole(tmp_path / "one.csv", "new")
    assert victim.read_text() == "precious"
    assert (tmp_path / "one.csv").read_text() == "new"


def test_a_link_stays_one_and_what_it_points_to_is_replaced(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "latest.html"
    link.symlink_to(tmp_path / "real" / "report.html")
    write_whole(link, "one")
    write_whole(link, "two")
    assert link.is_symlink()
    assert (tmp_path / "real" / "report.html").read_text() == "two"
    assert [path.name for path in (tmp_path / "real").iterdir()] == ["report.html"]


@pytest.mark.parametrize("failing", ["fsync", "replace", "fdopen"])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, failing):
    path = write_whole(tmp_path / "a", "old")

    def fail(*args, **kwargs):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="no space left"):
        write_whole(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_writer_left_is_removed_an_hour_later(tmp_path, monkeypatch):
    """Only what was begun for the same file; never another file, a link or a folder."""

    def killed(path):
        with monkeypatch.context() as change:
            change.setattr(os, "replace", lambda *_: None)
            write_whole(path, "half")
        return next(one for one in tmp_path.iterdir() if one not in before)

    before = [write_whole(tmp_path / name, "old") for name in ("a", "b")]
    of_a = killed(tmp_path / "a")
    before.append(of_a)
    of_b = killed(tmp_path / "b")
    before.append(of_b)
    young = killed(tmp_path / "a")
    start = of_a.name.rsplit("-", 1)[0]
    folder, link = tmp_path / f"{start}-folder", tmp_path / f"{start}-link"
    folder.mkdir()
    link.symlink_to(of_b)
    for path in (of_a, of_b, folder):
        os.utime(path, (0, 0))
    os.utime(link, (0, 0), follow_symlinks=False)
    write_whole(tmp_path / "a", "new")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"a", "b", of_b.name, young.name, folder.name, link.name}
    assert (tmp_path / "a").read_text() == "new"


def test_text_that_cannot_be_written_writes_nothing(tmp_path):
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "a", "\ud800")
    assert not list(tmp_path.iterdir())


def test_pipes_are_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, "through")
    reader.join(10)
    assert got == [b"through"]
    assert pipe.is_fifo()


def test_there_must_be_a_folder_to_write_to(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder; name the file to write"):
        check_output(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere' is no folder; make it first"):
        write_whole(tmp_path / "nowhere" / "a", "x")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "a")
    with pytest.raises(FileNotFoundError, match="nowhere' is no folder; make it first"):
        check_output(tmp_path / "link")


def test_a_read_only_folder_is_refused_before_anything_is_done(tmp_path, monkeypatch):
    """Whoever runs the tests may be allowed everything, so the answer of the system is set."""
    (tmp_path / "shut").mkdir()
    (tmp_path / "link.html").symlink_to(tmp_path / "shut" / "report.html")
    shut = str(tmp_path / "shut")
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.W_OK and path != shut)
    check_output(tmp_path / "report.html")
    check_output(os.devnull)
    for path in (tmp_path / "shut" / "report.html", tmp_path / "link.html"):
        with pytest.raises(PermissionError, match=r"shut is read-only; name a file in another"):
            check_output(path)


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """Give a folder of logs with a report beside them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs" / "day=1").mkdir(parents=True)
    for name in ("a.parquet", "day=1/b.CSV", "report.html", "_hidden.csv"):
        (tmp_path / "logs" / name).write_text("x")
    os.link("logs/a.parquet", "hard.html")
    os.symlink("logs/a.parquet", "soft.html")
    os.symlink("logs", "other")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("logs/a.parquet", "logs/a.parquet"),
        ("logs/../logs/a.parquet", "logs/a.parquet"),
        ("logs/a.parquet", "logs"),
        ("logs/a.parquet", "other"),
        ("other/day=1/b.CSV", "logs"),
        ("logs/new.parquet", "logs"),
        ("logs/a.parquet", "logs/*.parquet"),
        ("logs/day=1/b.CSV", "logs/**/*"),
        ("hard.html", "logs"),
        ("soft.html", "logs/*.parquet"),
    ],
)
def test_what_is_read_is_not_written_over(logs, path, given):
    with pytest.raises(ValueError, match=r"which is read.*; name another file to write"):
        check_paths(inputs=["-", "s3://elsewhere", None, "nowhere.csv", given], outputs=["-", path])


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("logs/report.html", "logs"),
        ("logs/report.html", "logs/*"),
        ("new.parquet", "logs"),
        ("logs/new.html", "logs"),
    ],
)
def test_what_is_not_read_may_be_written(logs, path, given):
    check_paths(inputs=[given], outputs=[path, "other.json", None])


@pytest.mark.parametrize(
    "outputs",
    [("new.json", "logs/../new.json"), ("other/new.json", "logs/new.json"), ("hard.html",) * 2],
)
def test_no_two_outputs_are_one_file(logs, outputs):
    with pytest.raises(ValueError, match=r"to be written twice; name another file"):
        check_paths(inputs=[], outputs=outputs)


def test_the_files_of_folders_and_patterns(logs):
    assert data_files("logs") == ["logs/a.parquet", "logs/day=1/b.CSV"]
    assert data_files("logs/*.parquet") == ["logs/a.parquet"]
    assert data_files("logs/report.html") == ["logs/report.html"]
    with pytest.raises(FileNotFoundError, match="there is no file 'gone'"):
        data_files("gone")
    with pytest.raises(FileNotFoundError, match="for folders only, such as 'logs'; name one"):
        data_files("lo*")
    with pytest.raises(FileNotFoundError, match=r"holds no file whose name ends in \.parquet"):
        data_files("*.txt")


def test_a_lock_lets_one_writer_in_at_a_time(tmp_path):
    """Each adds to what the last one wrote, and none is lost."""
    path, waited = write_whole(tmp_path / "count.txt", "0"), []

    def add():
        for _ in range(20):
            with file_lock(path, lambda: waited.append(1)):
                seen = int(path.read_text())
                time.sleep(0.001)
                write_whole(path, str(seen + 1))

    threads = [threading.Thread(target=add) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert path.read_text() == "60"
    assert waited
    if os.name != "nt":
        assert [file.name for file in tmp_path.iterdir()] == ["count.txt"]


def test_a_lock_is_given_up_after_an_error(tmp_path):
    for _ in range(2):
        with pytest.raises(ValueError, match="midway"), file_lock(tmp_path / "a"):
            raise ValueError("midway")
