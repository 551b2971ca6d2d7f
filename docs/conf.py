"""How the documentation is built; `make docs` treats every warning as an error."""

import inspect
import re
import sys
from pathlib import Path

from sphinx.util import logging
from sphinx_gallery.sorting import ExplicitOrder

import cautious
from cautious.cli.demo import COSTS, POSITIVE, score_all
from cautious.report import build_report

sys.path.insert(0, str(Path(__file__).parent))
from links import dead_links, pages_about

PACKAGES = [name for name in cautious.__all__ if inspect.ismodule(getattr(cautious, name))]

project = "cautious"
author = "The cautious developers"
copyright = "2026, The cautious developers"
release = version = cautious.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",  # formulas without asking another host
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "inherited-members": False}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False
default_role = "literal"
toc_object_entries = False

# Every name that a page or a docstring refers to must exist.
nitpicky = True
nitpick_ignore_regex = [
    # Modules behind the public ones, named in docstrings for those who read the source.
    (
        r"py:(mod|func)",
        r"cautious\.(costs|curves|logs\.tallies|predictions)\.\w+(\.\w+)?",
    ),
    # What `Store.Result` stands for.
    (r"py:class", r"cautious\.experiments\._folds\.FoldResult"),
    # Inherited from a base class, and fields described in the text of a class.
    (r"py:(meth|attr)", r"from_(predictions|estimator|cv_results)|fit|corners|trivial"),
]

plot_formats = [("png", 110)]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_rcparams = {"figure.constrained_layout.use": True}

# The gallery runs every example, so a story whose numbers have changed breaks the build.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "subsection_order": ExplicitOrder(
        [f"../examples/{section}" for section in ("abstaining", "sets_of_classes", "many")]
    ),
    "within_subsection_order": ExplicitOrder(
        [
            *(
                "spreadsheet.py",
                "risk_coverage.py",
                "medical_triage.py",
                "tuning_a_window.py",
                "unknown_costs.py",
            ),
            *("small_data.py", "risk_aversion.py", "conformal_sets.py", "tuning_s.py"),
            *("many_data_sets.py", "large_logs.py", "*"),
        ]
    ),
    "abort_on_example_error": True,
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("cautious",),
    "image_srcset": ["2x"],
    "reset_modules": ("matplotlib",),
    "min_reported_time": 600,
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "cautious"
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    # Where a list stands beside the page already, code needs the room.
    "secondary_sidebar_items": {pages: ["page-toc"] for pages in ("*", "papers/*", "extend/*")},
}
html_show_sourcelink = False
# Only how-tos, the API and the gallery are deep enough to need a list beside the page.
html_sidebars = {"*": [], "papers/*": [], "extend/*": []}
html_static_path = ["_static"]
html_css_files = ["cautious.css"]


def public_names(package):
    """Names a package offers: classes, then functions, then the rest.

    What two packages offer is on the page of the one it lives in.
    """
    offered = {
        name: getattr(getattr(cautious, package), name)
        for name in _all(package)
        if _home(package, name) == package
    }

    def order(name):
        return not inspect.isclass(offered[name]), not callable(offered[name]), name.lower()

    return sorted(offered, key=order)


def _all(package):
    return getattr(cautious, package).__all__


def _home(package, name):
    module = str(getattr(getattr(getattr(cautious, package), name), "__module__", "")).split(".")
    # A package without a page of its own lends its names to the one that offers them.
    other = module[1] if module[0] == "cautious" and module[1] in PACKAGES else package
    return other if other != package and name in getattr(cautious, other).__all__ else package


def write_api(folder):
    """Write one API page per package, so that a new public name cannot be forgotten."""
    folder.mkdir(exist_ok=True)
    homes = sorted(cautious._HOMES.items(), key=lambda pair: (pair[1], pair[0].lower()))
    top = "cautious\n========\n\n.. automodule:: cautious\n   :no-members:\n\n"
    top += ".. currentmodule:: cautious\n\n"
    for name, home in homes:
        kind = "class" if inspect.isclass(getattr(cautious, name)) else "function"
        whole = f"cautious.{_home(home, name)}.{name}"
        top += f".. py:{kind}:: {name}(...)\n\n   :py:obj:`{whole}`\n\n"
    _write(folder / "top.rst", top)
    for package in PACKAGES:
        title = f"cautious.{package}"
        names = "\n".join(f"   {name}" for name in public_names(package))
        page = (
            f"{title}\n{'=' * len(title)}\n\n.. automodule:: {title}\n   :no-members:\n\n"
            f".. currentmodule:: {title}\n\n.. autosummary::\n   :toctree: names\n"
            f"   :nosignatures:\n\n{names}\n"
        )
        _write(folder / f"{package}.rst", page)


def _write(path, page):
    """Leave a page that has not changed as it is, so that Sphinx does not build it again."""
    if not path.exists() or path.read_text(encoding="utf-8") != page:
        path.write_text(page, encoding="utf-8")


# Before Sphinx looks for sources: autosummary reads only pages that are there by then.
write_api(Path(__file__).parent / "generated")


def skip_routing(app, what, name, obj, skip, options):
    """Leave out the methods that scikit-learn generates for its metadata routing."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def example_first(app, what, name, obj, options, lines):
    """Show the example right after what a thing is for, before formulas and parameters."""
    start = _section(lines, "Examples")
    if start is None:
        return
    rest = lines[start + 2 :]
    end = next((at for at in range(len(rest)) if _is_heading(rest, at)), len(rest))
    example, after = rest[:end], rest[end:]
    above = lines[:start]
    first = above.index("") if "" in above else len(above)  # where the first sentence ends
    lines[:] = [
        *above[:first],
        "",
        ".. rubric:: Examples",
        "",
        *example,
        "",
        *above[first:],
        *after,
    ]


PAPERS = {
    "ferri": r"Ferri\s+&\s+Hernández-Orallo\s+(?:\(2004\)|2004)",
    "friedel": r"Friedel,\s+Rückert\s+&\s+Kramer\s+(?:\(2006\)|2006)",
    "zaffalon": r"Zaffalon,\s+Corani\s+&\s+Mauá\s+(?:\(2012\)|2012)",
    "yang": r"Yang,\s+Destercke\s+&\s+Masson\s+(?:\(2017\)|2017)",
}


def link_papers(app, what, name, obj, options, lines):
    """Lead from where one of the four papers is cited to the page about it."""
    text = "\n".join(lines)
    for page, cited in PAPERS.items():
        text = re.sub(cited, rf":doc:`\g<0> </papers/{page}>`", text)
    lines[:] = text.split("\n")


PAGES = pages_about(Path(__file__).parent)


def link_back(app, what, name, obj, options, lines):
    """Name the how-tos and the papers' pages that speak of a class or a function."""
    if what in ("class", "function") and name in PAGES:
        pages = ", ".join(f":doc:`{page}`" for page in PAGES[name])
        lines += ["", ".. rubric:: Read about it", "", f"{pages}.", ""]


def _section(lines, title):
    found = (at for at in range(len(lines)) if lines[at] == title and _is_heading(lines, at))
    return next(found, None)


def _is_heading(lines, at):
    below = lines[at + 1] if at + 1 < len(lines) else ""
    return bool(lines[at]) and set(below) == {"-"} and len(below) >= len(lines[at])


def write_live_report(app, exception):
    """Write the demonstration's report beside the first page, which frames it."""
    if exception is None and app.builder.format == "html":
        title = "Diabetes: when should the model abstain?"
        page = Path(app.outdir) / "report.html"
        build_report(score_all(), page, title=title, costs=COSTS, pos_label=POSITIVE)


def check_links(app, exception):
    """Warn of links that lead nowhere inside the site; `make docs` makes an error of a warning."""
    if exception is None and app.builder.format == "html":
        for found in dead_links(Path(app.outdir)):
            logging.getLogger(__name__).warning("dead link: %s", found)


def setup(app):
    """Tell autodoc what to leave out and what comes first, add the live report, check links."""
    app.connect("autodoc-skip-member", skip_routing)
    app.connect("autodoc-process-docstring", link_papers, priority=90)
    app.connect("autodoc-process-docstring", example_first, priority=100)  # before numpydoc
    app.connect("autodoc-process-docstring", link_back, priority=900)  # after it
    app.connect("build-finished", write_live_report)
    app.connect("build-finished", check_links, priority=900)  # when all is written
