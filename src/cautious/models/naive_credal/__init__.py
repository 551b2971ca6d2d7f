"""The naive credal classifier and its relatives, over discrete features."""
