"""Tables of text, and what is refused about them."""

import pytest

from cautious.errors import InputError
from cautious.predictions import read_predictions


@pytest.fixture
def read(tmp_path):
    """Read the text of a table as a file called given.csv."""

    def of_text(text, name="given.csv", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_predictions(path, **options)

    return of_text


@pytest.fixture
def refused(read, tmp_path):
    """Read a table that must be refused, and give the error's words without the file."""

    def of_text(text, name="given.csv", **options):
        with pytest.raises(InputError) as caught:
            read(text, name, **options)
        words = str(caught.value)
        assert words.startswith(f"{tmp_path / name}: ")
        return words.removeprefix(f"{tmp_path / name}: ")

    return of_text
