"""Help in the words of people: what an option takes, not Python's name of its type."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

__all__ = ["Command", "Group"]


class PlainHelp:
    """Help without the names of Python's types: an option says what it takes, a flag nothing."""

    def get_params(self, ctx: Any) -> list[Any]:
        """List the parameters, ready to be shown."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in params:
            if getattr(one, "is_flag", False) and one.metavar is None:
                one.metavar = ""
            elif one.param_type_name == "argument":  # its name says it
                vars(one)["display_type_rich"] = _no_type
        return params


def _no_type(ctx: Any) -> str:
    return ""


class Command(PlainHelp, TyperCommand):
    """A command with plain help."""


class Group(PlainHelp, TyperGroup):
    """A group of commands with plain help."""
