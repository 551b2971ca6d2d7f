"""``python -m cautious`` is the command line."""

import sys

try:
    from cautious.cli import main
except ModuleNotFoundError as _error:  # pragma: no cover - needs an environment without the extra
    if _error.name not in ("typer", "rich"):
        raise
    sys.exit(
        f"The command line needs {_error.name}: pip install 'cautious[cli]', or in a clone of the "
        "repository pip install '.[cli]'"
    )
except KeyboardInterrupt:  # importing takes a moment; later interrupts are the command line's
    sys.exit(130)

if __name__ == "__main__":
    main()
