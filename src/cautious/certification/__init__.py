"""Certified rules: from cases over counts and a sequence of exact tests to thresholds.

:mod:`cautious.guarantees` offers all this to users. It is a package of its own because curves,
which hold counts already, certify rules too.
"""

from cautious.certification.bounds import check_counts as check_counts
from cautious.certification.bounds import check_share as check_share
from cautious.certification.bounds import check_whole as check_whole
from cautious.certification.bounds import expected_cases, risk_bound, risk_p_value
from cautious.certification.bounds import least_answers as least_answers
from cautious.certification.cases import Cases as Cases
from cautious.certification.certificate import Certificate
from cautious.certification.certificate import LimitTest as LimitTest
from cautious.certification.certificate import MeanTest as MeanTest
from cautious.certification.certified_rule import Promise as Promise
from cautious.certification.certified_rule import certify, certify_sequence
from cautious.certification.certified_rule import certify_counts as certify_counts
from cautious.certification.certified_rule import check_promise as check_promise
from cautious.certification.certified_thresholds import Certified
from cautious.certification.certified_thresholds import Shape as Shape

__all__ = [
    "Certificate",
    "Certified",
    "certify",
    "certify_sequence",
    "expected_cases",
    "risk_bound",
    "risk_p_value",
]
