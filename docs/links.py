"""Links of the site: those that lead nowhere, and those from a name back to the pages about it."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

ROLE = re.compile(r"\{py:\w+\}`(?:[^`<]*<)?~?(cautious\.\w+\.\w+)[\w.]*>?`")


def pages_about(docs):
    """Pages of how-tos and papers that speak of a public name, by that name."""
    found = {}
    for page in sorted([*docs.glob("howto/*.md"), *docs.glob("papers/*.md")]):
        for name in set(ROLE.findall(page.read_text(encoding="utf-8"))):
            found.setdefault(name, []).append(f"/{page.parent.name}/{page.stem}")
    return found


class Page(HTMLParser):
    """What a page refers to, and the places on it that can be referred to."""

    def __init__(self, path):
        super().__init__()
        self.places, self.links = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = {name: value for name, value in attrs if value}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        self.links += [given[name] for name in ("href", "src") if name in given]
        self.links += [part.split()[0] for part in given.get("srcset", "").split(", ") if part]


def dead_links(root):
    """Name the dead links of all pages under a folder, each as 'page: link'."""
    paths = [path for path in root.resolve().rglob("*.html") if "_static" not in path.parts]
    pages = {path: Page(path) for path in paths}
    return sorted(
        f"{path.relative_to(root.resolve())}: {link}"
        for path, page in pages.items()
        for link in set(page.links)
        if not _leads_somewhere(path, link, pages)
    )


def _leads_somewhere(path, link, pages):
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True  # elsewhere
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    place = unquote(parts.fragment)
    return target.exists() and (not place or target not in pages or place in pages[target].places)
