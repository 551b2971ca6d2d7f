"""The report: one self-contained page that shows when a model should abstain, and what that saves.

:func:`build_report` reduces predictions to the few hundred numbers that all optimal answers depend
on and writes them into an HTML file, together with the code that turns them into windows, costs
and recommendations while its reader moves the sliders. The file needs no server and no network.
"""

from cautious.report.document import build_report

__all__ = ["build_report"]
