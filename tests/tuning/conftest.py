"""The data of the curves' tests."""

from tests.curves.conftest import cases, weka

__all__ = ["cases", "weka"]
