"""What the README shows is what happens."""

import contextlib
import io
import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
# A block of Python and, below it, the indented lines it prints.
BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n\n(?P<output>(?:    [^\n]*\n)*)", re.DOTALL)


@pytest.mark.parametrize("block", list(BLOCK.finditer(README.read_text(encoding="utf-8"))))
def test_blocks_print_what_they_say(block):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block["code"], str(README), "exec"), {})
    expected = re.sub(r"^    ", "", block["output"], flags=re.MULTILINE)
    assert printed.getvalue() == expected
