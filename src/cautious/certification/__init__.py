"""Certified rules: from cases over counts and a sequence of exact tests to thresholds.

:mod:`cautious.guarantees` offers all this to users. It is a package of its own because curves,
which hold counts already, certify rules too.
"""

from cautious.certification._bounds import expected_cases, risk_bound, risk_p_value
from cautious.certification._certificate import Certificate
from cautious.certification._certified_rule import certify, certify_sequence
from cautious.certification._certified_thresholds import Certified

__all__ = [
    "Certificate",
    "Certified",
    "certify",
    "certify_sequence",
    "expected_cases",
    "risk_bound",
    "risk_p_value",
]
