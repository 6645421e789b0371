"""One way from a file's bytes to pixels, for every consumer."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import NamedTuple

from PIL import Image, ImageOps, UnidentifiedImageError

MAX_PIXELS = 100_000_000
"""Larger images are refused: 300 MB of RGB, more than any camera of the field delivers."""

FORMATS = (
    "AVIF", "BMP", "DIB", "GIF", "ICO", "JPEG", "JPEG2000", "PCX", "PNG", "PPM", "QOI", "SGI",
    "TGA", "TIFF", "WEBP",
)  # fmt: skip
"""What is opened, by Pillow's names. Not EPS: Pillow hands it to Ghostscript, which runs it as a
program. Not what holds no photograph, such as icons of macOS, textures and fax pages: each decoder
more is one more that a stranger's file can reach."""

_WEB = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp", "GIF": "image/gif"}
_PNG_DEPTH = 24  # where a PNG file tells its bits a channel
_ONE_AT_A_TIME = Lock()
_SIXTEEN_BIT = ("I;16", "I;16L", "I;16B", "I;16N", "I")


class UnreadableImage(Exception):
    """The bytes are not a whole image that can be shown; the message is the reason."""


class Header(NamedTuple):
    """What an image says of itself before it is decoded."""

    raw: tuple[int, int]
    """Width and height as stored."""
    shown: tuple[int, int]
    """Width and height after the orientation tag."""


def header(data: bytes, max_pixels: int = MAX_PIXELS) -> Header:
    """Sizes from the file's header; cheap, nothing is decoded.

    Raises:
        UnreadableImage: If the bytes are no image, or one of more than `max_pixels` pixels.
    """
    image = _open(data, max_pixels)
    turned = _orientation(image) in (5, 6, 7, 8)
    width, height = image.size
    return Header((width, height), (height, width) if turned else (width, height))


def decode(data: bytes, max_pixels: int = MAX_PIXELS) -> Image.Image:
    """RGB pixels as a person would see them.

    The first frame is taken, the orientation tag applied, transparency laid on white, 16-bit grey
    scaled to 8 bit, every other colour space converted.

    Raises:
        UnreadableImage: If the bytes are no image, cut off, too large, or of unknown range.
    """
    image = _open(data, max_pixels)
    try:
        image.seek(0)
        image.load()
        return _to_rgb(image if _orientation(image) == 1 else ImageOps.exif_transpose(image))
    except UnreadableImage:
        raise
    except Exception as error:  # Pillow's decoders raise many kinds on damaged files
        raise UnreadableImage(f"damaged or cut off: {error}") from error


def orientation(data: bytes) -> int:
    """The orientation tag, 1 ... 8; 1 (upright) where there is none or it cannot be read.

    Raises:
        UnreadableImage: If the bytes are no image.
    """
    return _orientation(_open(data, MAX_PIXELS))


def media_type(data: bytes) -> str | None:
    """Media type of a file that everyone shows as `decode` does, by its bytes and not its name.

    None for a file that viewers show differently or not at all: another format, several frames,
    an orientation tag, transparency, a colour space other than RGB and grey, 16 bits.
    """
    image = _open(data, MAX_PIXELS)
    plain = (
        image.format in _WEB
        and image.mode in ("1", "L", "P", "RGB")
        and getattr(image, "n_frames", 1) == 1
        and not image.has_transparency_data
        and _orientation(image) == 1
        and not (image.format == "PNG" and data[_PNG_DEPTH] == 16)
    )
    return _WEB[str(image.format)] if plain else None


def _open(data: bytes, max_pixels: int) -> Image.Image:
    if not data:
        raise UnreadableImage("empty file")
    try:
        with _quiet():
            image = Image.open(io.BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError as error:
        raise UnreadableImage("not an image of a format that is read") from error
    except Image.DecompressionBombError as error:
        raise UnreadableImage(f"too large: more than {max_pixels} pixels") from error
    except Exception as error:
        raise UnreadableImage(f"damaged header: {error}") from error
    if image.width * image.height > max_pixels:
        raise UnreadableImage(
            f"too large: {image.width} x {image.height} is more than {max_pixels} pixels"
        )
    return image


def _orientation(image: Image.Image) -> int:
    """The orientation tag, 1 (upright) where there is none or it cannot be read."""
    try:
        with _quiet():
            # The base class's method: PNG's own decodes the whole image to look for a late tag.
            return int(Image.Image.getexif(image).get(0x0112, 1))
    except Exception:  # damaged tags raise many kinds; the pixels beside them are whole
        return 1


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Pillow's warnings of damaged metadata and of sizes, which are checked here."""
    # Threads that come and go here together would leave the filters of one to all others.
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _to_rgb(image: Image.Image) -> Image.Image:
    if image.mode in _SIXTEEN_BIT:
        return _scale_sixteen_bit(image)
    if image.mode == "F":
        raise UnreadableImage("floating-point pixels of unknown range")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, image).convert("RGB")
    return image.convert("RGB")


def _scale_sixteen_bit(image: Image.Image) -> Image.Image:
    import numpy as np

    grey = np.asarray(image).astype(np.int64)
    if grey.min() < 0 or grey.max() > 65_535:
        raise UnreadableImage("32-bit pixels of unknown range")
    # 257 maps 65,535 to 255 exactly.
    return Image.fromarray(((grey + 128) // 257).astype(np.uint8)).convert("RGB")
