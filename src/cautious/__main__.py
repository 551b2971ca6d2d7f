"""``python -m cautious`` is the command line."""

import sys

from cautious.errors import how_to_install

try:
    from cautious.cli import main
except ModuleNotFoundError as _error:  # pragma: no cover - needs an environment without the extra
    if _error.name not in ("typer", "rich"):
        raise
    print(f"The command line needs {_error.name}: {how_to_install('cli')}.", file=sys.stderr)
    sys.exit(2)
except KeyboardInterrupt:  # importing takes a moment; later interrupts are the command line's
    sys.exit(130)

if __name__ == "__main__":
    main()
