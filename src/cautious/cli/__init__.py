"""The command line: thin, every command one call of the library.

It needs the extra ``cli``: ``pip install ".[cli]"``.
"""

from cautious.cli.app import main

__all__ = ["main"]
