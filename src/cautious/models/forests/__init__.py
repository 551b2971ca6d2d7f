"""Cautious forests: sets of classes from the leaves of many trees."""
