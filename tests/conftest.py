"""One thread per process: the workers of the tests have the cores already.

Threads of OpenBLAS and OpenMP that wait for a core spin meanwhile, and made a logistic regression
cost five times as much. Set before anything imports numpy; what is set outside is kept.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
