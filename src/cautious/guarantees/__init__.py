"""Guarantees: what may be promised about cases that nobody has seen.

Exact and betting bounds, certificates and alarms. Everything is computed from counts that add up,
so it comes alike from arrays, from summaries of logs and from clusters.
"""

from cautious.certification import (
    Certificate,
    Certified,
    certify,
    certify_sequence,
    expected_cases,
    risk_bound,
    risk_p_value,
)
from cautious.guarantees.cost_certificates import certify_cost, certify_utility
from cautious.guarantees.mean_bounds import mean_bound
from cautious.guarantees.monitor import DriftMonitor, RiskMonitor

__all__ = [
    "Certificate",
    "Certified",
    "DriftMonitor",
    "RiskMonitor",
    "certify",
    "certify_cost",
    "certify_sequence",
    "certify_utility",
    "expected_cases",
    "mean_bound",
    "risk_bound",
    "risk_p_value",
]
