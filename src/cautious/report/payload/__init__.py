"""What the page carries: everything it shows, in as few numbers as that takes.

The page computes by itself, so it is given counts rather than results. Up to 1,500 cases are
carried one by one, which lets it cross-fit and compare models case by case; of more it gets counts
at steps of the score. :mod:`~cautious.report.payload._problems` reads models and groups them,
:mod:`~cautious.report.payload.scores` reduces scores of two classes,
:mod:`~cautious.report.payload.answers` prediction sets and probabilities of several classes, and
:mod:`~cautious.report.payload.cases` packs cases.
"""
