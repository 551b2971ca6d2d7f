"""Guarantees: what may be promised about cases that nobody has seen.

Exact and betting bounds, certificates and alarms. Everything is computed from counts that add up,
so it comes alike from arrays, from summaries of logs and from clusters.
"""

from cautious.guarantees._certified_rule import certify
from cautious.guarantees.bounds import expected_cases, mean_bound, risk_bound, risk_p_value
from cautious.guarantees.certificate import Certificate, certify_sequence
from cautious.guarantees.cost_certificates import certify_cost, certify_utility
from cautious.guarantees.monitor import DriftMonitor, RiskMonitor

__all__ = [
    "Certificate",
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
