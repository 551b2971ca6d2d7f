"""Wrappers that make any probabilistic classifier cautious."""
