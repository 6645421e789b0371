"""Images of every mode and format that Pillow writes, whole and damaged; and what is no file."""

from __future__ import annotations

import io
import json
import os
import socket
import struct
import zlib
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image

from oodexp.pixel import FORMATS, UnreadableImage, decode, header, media_type
from oodexp.predict.content import scan, shown
from oodexp.source.coco import Coco
from tests.input.kind import Kind, Result
from tests.input.odd import damaged

MODES = ("1", "L", "P", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "HSV", "I", "F", "LA", "PA", "La",
         "RGBa", "RGBX", "I;16", "I;16B")  # fmt: skip
SIDE = 24


@cache
def written(mode: str, form: str) -> bytes | None:
    """An image of a mode in a format; None where Pillow does not write that."""
    draw = np.random.default_rng(len(mode) + len(form))
    colours = Image.fromarray(draw.integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8))
    sink = io.BytesIO()
    try:
        image = (
            colours.convert("I").convert(mode) if mode.startswith("I;") else colours.convert(mode)
        )
        image.save(sink, form)
    except Exception:  # a pair of mode and format that does not exist
        return None
    return sink.getvalue() or None


@cache
def pairs() -> list[tuple[str, str]]:
    Image.init()
    return [(m, f) for f in sorted(Image.SAVE) for m in MODES if written(m, f) is not None]


def whole_or_damaged(random: Random, folder: Path) -> Result:
    """Bytes of any mode and format, cut at each tenth, flipped, or as they are."""
    mode, form = random.choice(pairs())
    data = written(mode, form) or b""
    choice = random.random()
    if choice < 0.3:
        data = data[: len(data) * random.randint(0, 10) // 10]
    elif choice < 0.7:
        data = damaged(data, random)
    return looked_at(data, written(mode, form) == data and form in FORMATS and mode != "F")


def looked_at(data: bytes, good: bool) -> Result:
    """Header, pixels and media type agree, or each is refused by name."""
    try:
        size = header(data)
        image = decode(data)
    except UnreadableImage as error:
        if good or not 0 < len(str(error)) < 1_000:
            raise AssertionError(error) from error
        return "named"
    assert image.mode == "RGB"
    assert size.shown == image.size or not good
    if good:
        with Image.open(io.BytesIO(data)) as witness:
            assert witness.size == image.size
    kind = media_type(data)
    assert kind is None or kind.startswith("image/")
    return "right"


def bomb(random: Random, folder: Path) -> Result:
    """Sizes that would fill the memory, in the headers of several formats."""
    wide, high = random.choice([(40_000, 40_000), (2**31 - 1, 1), (65_535, 65_535), (1, 10**9)])
    head = b"IHDR" + struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))
    body = zlib.compress(bytes(1_000_000))
    png += struct.pack(">I", len(body)) + b"IDAT" + body
    gif = b"GIF89a" + struct.pack("<HH", min(wide, 65_535), min(high, 65_535)) + b"\xf7\0\0"
    bmp = b"BM" + bytes(8) + struct.pack("<IIiiHHI", 54, 40, wide, high, 1, 24, 0) + bytes(24)
    ppm = f"P6 {wide} {high} 255\n".encode() + bytes(100)
    tga = bytes(12) + struct.pack("<HHBB", min(wide, 65_535), min(high, 65_535), 24, 0)
    tga = tga[:2] + b"\x02" + tga[3:]
    data = random.choice([png, gif + bytes(800), bmp, ppm, tga + bytes(100)])
    assert looked_at(data, good=False) == "named"
    return "named"


def no_file(random: Random, folder: Path) -> Result:
    """What lies in the place of an image: each is named, none is waited for."""
    (folder / "images").mkdir()
    (folder / "secret").write_bytes(b"secret")
    made = [(n, random.choice(_PLACES)) for n in range(4)]
    for number, make in made:
        make(folder / f"images/{number}.png")
    images = [{"id": n, "file_name": f"{n}.png"} for n, _ in made]
    notes = [{"image_id": n, "category_id": 0, "id": n} for n, _ in made]
    document = {"images": images, "annotations": notes, "categories": [{"id": 0, "name": "a"}]}
    (folder / "a.json").write_text(json.dumps(document))
    source = Coco(str(folder / "a.json"), str(folder / "images"))
    listed = source.images()
    seen = scan(listed, source.read)
    told = set(seen.problems["image_id"]) | set(source.problems()["image_id"])
    fine = {str(n) for n, make in made if make in (_image, _other_ending)}
    assert told == {str(n) for n, _ in made} - fine
    for image_id in listed["image_id"]:
        assert (shown(source.read, image_id)[0] is not None) == (image_id in fine)
    return "named" if told else "right"


def _image(path: Path) -> None:
    path.write_bytes(written("RGB", "PNG") or b"")


def _other_ending(path: Path) -> None:
    path.write_bytes(written("RGB", "JPEG") or b"")


def _socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # the name of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as mine:
            mine.bind(path.name)
    finally:
        os.chdir(before)


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 42)


_PLACES = [
    _image, _image, _other_ending, _socket, _huge, os.mkfifo, Path.mkdir,
    lambda path: path.write_bytes(b""),
    lambda path: path.write_bytes(b"no image"),
    lambda path: path.symlink_to("nowhere"),
    lambda path: path.symlink_to(path),
    lambda path: path.symlink_to(path.parents[1] / "secret"),
    lambda path: path.symlink_to("/dev/zero"),
    lambda path: path.symlink_to("/etc/passwd"),
]  # fmt: skip

KINDS = [
    Kind("images: modes, formats, damage", whole_or_damaged, 3.0),
    Kind("images: decompression bombs", bomb, 0.2),
    Kind("images: pipes, folders, links, no image", no_file, 0.5),
]
