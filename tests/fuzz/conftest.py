"""Lets the fuzzers share their strategies: this folder's plain modules can be imported."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
