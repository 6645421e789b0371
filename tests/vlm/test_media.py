"""Image files as they go into a request."""

from __future__ import annotations

import base64
import io
import json

import numpy as np
import pytest
from PIL import Image

from oodexp.pixel import UnreadableImage, decode
from oodexp.vlm.media import data_uri

NOISE = np.random.default_rng(0).integers(0, 256, (9, 7, 3), dtype=np.uint8)


def opened(uri: str) -> tuple[str, bytes]:
    assert uri.startswith("data:")
    kind, _, data = uri.removeprefix("data:").partition(";base64,")
    return kind, base64.b64decode(data, validate=True)


def saved(image: Image.Image, form: str, **options) -> bytes:
    sink = io.BytesIO()
    image.save(sink, form, **options)
    return sink.getvalue()


RGB = Image.fromarray(NOISE)
TURNED = Image.Exif()
TURNED[0x0112] = 6


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "GIF"])
def test_a_file_that_everyone_shows_alike_is_sent_byte_for_byte(form):
    data = saved(RGB, form)
    assert opened(data_uri(data)) == (f"image/{form.lower()}", data)


@pytest.mark.parametrize(
    "data",
    [
        saved(RGB, "JPEG", exif=TURNED),
        saved(RGB.convert("CMYK"), "JPEG"),
        saved(RGB.convert("RGBA"), "PNG"),
        saved(Image.fromarray(NOISE[..., 0].astype(np.uint16) * 200), "PNG"),
        saved(RGB, "GIF", save_all=True, append_images=[RGB.rotate(180)]),
        saved(RGB, "BMP"),
        saved(RGB, "TIFF"),
    ],
    ids=["turned", "cmyk", "alpha", "16 bit", "frames", "bmp", "tiff"],
)
def test_another_file_is_sent_as_the_pixels_that_local_models_see(data):
    kind, sent = opened(data_uri(data))
    assert kind == "image/png"
    image = Image.open(io.BytesIO(sent))
    assert (image.format, image.mode) == ("PNG", "RGB")
    np.testing.assert_array_equal(np.asarray(image), np.asarray(decode(data)))


@pytest.mark.parametrize("data", [b"", b"no image", saved(RGB, "PNG")[:-30]])
def test_a_damaged_file_is_not_sent(data):
    with pytest.raises(UnreadableImage):
        data_uri(data)


def test_case_g11_names_the_type_by_the_bytes(shared):
    case = shared / "cases/g11-wrong-extension"
    expected = json.loads((case / "expected.json").read_text())["media_type"]
    for name in ("photo.jpg", "photo.png"):
        data = (case / name).read_bytes()
        kind, sent = opened(data_uri(data))
        assert kind == expected[name].split(" ")[0].rstrip(",")
        assert sent == data
