"""What packages offer is there, is described, and is the same at the top level."""

import inspect
from importlib import import_module

import pytest

import cautious

PACKAGES = [name for name in cautious.__all__ if inspect.ismodule(getattr(cautious, name))]


@pytest.mark.parametrize("package", PACKAGES)
def test_all_is_true(package):
    module = import_module(f"cautious.{package}")
    assert all(getattr(module, name).__doc__ for name in module.__all__)


def test_the_top_level_offers_what_packages_offer():
    """What is imported lazily from the top is public where it lives, and typed there too."""
    source = inspect.getsource(cautious).partition("if TYPE_CHECKING:")[2].partition("\n\n")[0]
    for name in cautious.__all__:
        value = getattr(cautious, name)
        if inspect.ismodule(value) or name.startswith("__"):
            continue
        home = import_module(f"cautious.{cautious._HOMES[name]}")
        assert name in home.__all__
        assert value is getattr(home, name)
        assert name in source, f"{name} is not typed"
