"""Boxes on turned images, against Pillow's own turning of the pixels."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageOps

from oodexp.pixel import decode, header, orientation
from oodexp.review.outline import fractions, frame

WIDTH, HEIGHT = 40, 20
BOX = (4.0, 2.0, 12.0, 6.0)


def painted(tag: int) -> bytes:
    """A white box on black, stored with an orientation tag."""
    image = Image.new("RGB", (WIDTH, HEIGHT))
    left, top, width, height = (int(v) for v in BOX)
    image.paste((255, 255, 255), (left, top, left + width, top + height))
    exif = image.getexif()
    exif[0x0112] = tag
    buffer = io.BytesIO()
    image.save(buffer, "PNG", exif=exif)
    return buffer.getvalue()


@pytest.mark.parametrize("tag", range(1, 9))
def test_a_box_lies_where_the_turned_image_shows_its_object(tag: int) -> None:
    data = painted(tag)
    shown = decode(data)
    assert shown.size == ImageOps.exif_transpose(Image.open(io.BytesIO(data))).size
    rows, columns = np.nonzero(np.asarray(shown.convert("L")))
    sizes = header(data)
    size, turn = frame((WIDTH, HEIGHT), sizes.raw, sizes.shown, orientation(data))
    ((left, top, width, height),) = fractions([BOX], size, turn)
    at = (left * shown.width, top * shown.height, width * shown.width, height * shown.height)
    truth = (columns.min(), rows.min(), np.ptp(columns) + 1, np.ptp(rows) + 1)
    assert at == pytest.approx(truth)


def test_boxes_annotated_on_the_turned_image_are_not_turned_again() -> None:
    assert frame((HEIGHT, WIDTH), (WIDTH, HEIGHT), (HEIGHT, WIDTH), 6) == ((HEIGHT, WIDTH), 1)
    assert frame(None, (WIDTH, HEIGHT), (HEIGHT, WIDTH), 6) == ((WIDTH, HEIGHT), 6)


def test_what_sticks_out_is_cut_off() -> None:
    assert fractions([(-10, 10, 30, 30)], (40, 20), 1) == [(0.0, 0.5, 0.5, 0.5)]
