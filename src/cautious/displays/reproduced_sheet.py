"""Pictures of a reproduced paper: a file a figure, and all of them on one sheet."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from cautious.displays.reproduced import ReproducedFigureDisplay
from cautious.experiments import Reproduction
from cautious.files import write_whole

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["contact_sheet", "save_figures"]

_MARGIN = 12
# Inches of a line of figures: three of one panel, or two of three small ones.
_WIDTH = 23
_DPI = 80
_SHRINK = 0.85


def save_figures(done: Reproduction, folder: str | Path) -> list[Path]:
    """Draw every figure into a PNG file beside its data.

    Parameters
    ----------
    done : Reproduction
        What to draw.
    folder : path
        Made if it is not there.

    Returns
    -------
    list of Path
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    stems = done.stems()[len(done.tables) :]
    return [
        write_whole(place / f"{stem}.png", ReproducedFigureDisplay(figure).png())
        for stem, figure in zip(stems, done.figures, strict=True)
    ]


def contact_sheet(done: Reproduction, *, most_bytes: int = 400_000) -> bytes:
    """Draw all figures of a paper on one sheet, in their order and on one scale.

    Parameters
    ----------
    done : Reproduction
        What to draw; it must have figures.
    most_bytes : int, default=400_000
        The sheet is shrunk until it is no larger, but not beyond a third of its width.

    Returns
    -------
    bytes
        A PNG picture of 256 colours.
    """
    pictures = [ReproducedFigureDisplay(figure).png(dpi=_DPI) for figure in done.figures]
    from PIL import Image  # comes with matplotlib, without which nothing is drawn

    sheet = _laid_out([Image.open(io.BytesIO(picture)) for picture in pictures])
    least = sheet.width / 3
    while len(content := _png(sheet)) > most_bytes and sheet.width > least:
        smaller = (round(sheet.width * _SHRINK), round(sheet.height * _SHRINK))
        sheet = sheet.resize(smaller, Image.Resampling.LANCZOS)
    return content


def _laid_out(pictures: list[Image.Image]) -> Image.Image:
    """Set the pictures in lines, as words are set."""
    from PIL import Image

    places = []
    x = y = below = width = 0
    for picture in pictures:
        if x > 0 and x + picture.width > _WIDTH * _DPI:
            x, y = 0, below
        places.append((x, y))
        x += picture.width + _MARGIN
        width, below = max(width, x), max(below, y + picture.height + _MARGIN)
    sheet = Image.new("RGB", (width, below), "white")
    for picture, place in zip(pictures, places, strict=True):
        sheet.paste(picture, place)
    return sheet


def _png(sheet: Image.Image) -> bytes:
    content = io.BytesIO()
    sheet.quantize(256).save(content, format="png", optimize=True)
    return content.getvalue()
