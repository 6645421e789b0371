"""File names of images and parts that cannot lead out of their folder, whatever an id holds."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence

_UNSAFE = re.compile(rb"[^A-Za-z0-9_-]")
_LONGEST = 120
_DIGEST = 12

_MARKS = (
    (b"\xff\xd8\xff", ".jpg", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", ".png", "image/png"),
    (b"GIF8", ".gif", "image/gif"),
    (b"BM", ".bmp", "image/bmp"),
    (b"II*\0", ".tif", "image/tiff"),
    (b"MM\0*", ".tif", "image/tiff"),
)


def escape(text: str) -> str:
    """A text as part of a file name: letters, digits, `_` and `-` stay, other bytes become `=XX`.

    Two texts never give the same name; the result holds no dot, slash, backslash or control byte.

    >>> escape("../a b")
    '=2E=2E=2Fa=20b'
    """
    data = text.encode("utf-8", "surrogatepass")
    return _UNSAFE.sub(lambda m: b"=%02X" % m[0][0], data).decode("ascii")


def image_names(images: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """A file name without ending for each image (source, image_id): `coco.139`.

    A name that would be too long, or that a file system which ignores case would take for another
    one, ends in a digest of both ids.

    Args:
        images: Each image once.
    """
    plain = {image: f"{escape(image[0])}.{escape(image[1])}" for image in images}
    often = Counter(name.lower() for name in plain.values())
    return {
        image: name if often[name.lower()] == 1 and len(name) <= _LONGEST else _marked(name, image)
        for image, name in plain.items()
    }


def slug(text: str | None) -> str:
    """A name in lower case letters, digits and `_`; a missing split is `no_split`.

    >>> slug("OOD-H")
    'ood_h'
    """
    return "_".join(re.findall(r"[a-z0-9]+", ("no split" if text is None else text).lower()))


def part_name(dataset: str, split: str | None, kind: str) -> str:
    """Name of a part of an export.

    >>> part_name("OODBench", "OOD-H", "existence")
    'oodbench_ood_h_existence'
    """
    return "_".join(map(slug, (dataset, split, kind)))


def image_kind(data: bytes) -> tuple[str, str]:
    """File ending and media type by an image file's first bytes, whatever it is called.

    `.img` and `application/octet-stream` for a format that is not known.
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ".webp", "image/webp"
    for mark, ending, media in _MARKS:
        if data.startswith(mark):
            return ending, media
    return ".img", "application/octet-stream"


def _marked(name: str, image: tuple[str, str]) -> str:
    told = "\0".join(image).encode("utf-8", "surrogatepass")
    return f"{name[:_LONGEST]}.{hashlib.sha256(told).hexdigest()[:_DIGEST]}"
