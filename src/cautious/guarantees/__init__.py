"""Guarantees: what may be promised about cases that nobody has seen.

Exact and betting bounds, certificates and alarms. Everything is computed from counts that add up,
so it comes alike from arrays, from summaries of logs and from clusters.
"""

from cautious.guarantees._certified_rule import certify
from cautious.guarantees.bounds import expected_cases, mean_bound, risk_bound, risk_p_value
from cautious.guarantees.certificate import Certificate
from cautious.guarantees.cost_certificates import certify_cost
from cautious.guarantees.monitor import DriftMonitor, RiskMonitor

__all__ = [
    "Certificate",
    "DriftMonitor",
    "RiskMonitor",
    "certify",
    "certify_cost",
    "expected_cases",
    "mean_bound",
    "risk_bound",
    "risk_p_value",
]
