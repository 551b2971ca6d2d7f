"""Measurements against the limit of the machine, as ratios taken in one run."""
