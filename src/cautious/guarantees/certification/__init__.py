"""Certified rules: from cases over counts and a sequence of tests to thresholds."""

from cautious.guarantees.certification.entry import Certified, Promise, Shape, certify

__all__ = ["Certified", "Promise", "Shape", "certify"]
