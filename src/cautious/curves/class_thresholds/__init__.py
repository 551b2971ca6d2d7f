"""Thresholds per class: what they can reach, and the best choice of them within a budget."""

from cautious.curves.class_thresholds.sweeps import ClassThresholdCurve

__all__ = ["ClassThresholdCurve"]
