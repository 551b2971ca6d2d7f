"""How the documentation is built; `make docs` treats every warning as an error."""

import inspect
from pathlib import Path

import cautious

project = "cautious"
author = "The cautious developers"
copyright = "2026, The cautious developers"
release = version = cautious.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",  # formulas without asking another host
    "numpydoc",
    "myst_parser",
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

html_theme = "pydata_sphinx_theme"
html_title = "cautious"
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
}
html_show_sourcelink = False
html_sidebars = {"index": []}


def public_names(package):
    """Names a package offers: classes, then functions, then the rest."""
    offered = {name: getattr(getattr(cautious, package), name) for name in _all(package)}

    def order(name):
        return not inspect.isclass(offered[name]), not callable(offered[name]), name.lower()

    return sorted(offered, key=order)


def _all(package):
    return getattr(cautious, package).__all__


def write_api(folder):
    """Write one API page a package, so that a new public name cannot be forgotten."""
    folder.mkdir(exist_ok=True)
    for package in sorted(set(cautious.__all__) - {"__version__"}):
        title = f"cautious.{package}"
        names = "\n".join(f"   {name}" for name in public_names(package))
        page = (
            f"{title}\n{'=' * len(title)}\n\n.. automodule:: {title}\n   :no-members:\n\n"
            f".. currentmodule:: {title}\n\n.. autosummary::\n   :toctree: names\n"
            f"   :nosignatures:\n\n{names}\n"
        )
        path = folder / f"{package}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != page:
            path.write_text(page, encoding="utf-8")


# Before Sphinx looks for sources: autosummary reads only pages that are there by then.
write_api(Path(__file__).parent / "generated")


def skip_routing(app, what, name, obj, skip, options):
    """Leave out the methods that scikit-learn generates for its metadata routing."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def setup(app):
    """Tell autodoc what to leave out."""
    app.connect("autodoc-skip-member", skip_routing)
