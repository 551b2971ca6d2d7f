"""The papers' data, bundled: 74 public classification sets with their declared categories.

Nothing is downloaded. ``list_datasets`` is a frame of facts about them, ``load_dataset`` gives one
as scikit-learn's loaders do.
"""

from cautious.datasets.bundled import list_datasets, load_dataset

__all__ = ["list_datasets", "load_dataset"]
