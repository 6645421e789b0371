"""Bytes to pixels."""

from __future__ import annotations

import io
import json
import struct
import time
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image, ImageFile

from oodexp.pixel import UnreadableImage, decode, header


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def chequered(mode: str = "RGB", size: tuple[int, int] = (40, 30)) -> Image.Image:
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    return Image.fromarray(pixels).convert(mode)


def with_chunk(png: bytes, kind: bytes, content: bytes, last: bool = False) -> bytes:
    """The PNG with another chunk after its header, or before its end."""
    chunk = struct.pack(">I", len(content)) + kind + content
    chunk += struct.pack(">I", zlib.crc32(kind + content))
    at = len(png) - 12 if last else 33
    return png[:at] + chunk + png[at:]


def with_exif(jpeg: bytes, content: bytes) -> bytes:
    payload = b"Exif\0\0" + content
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(payload) + 2) + payload + jpeg[2:]


ORIENTATION_6 = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"


def test_a_cmyk_jpeg_is_shown_in_its_colours(shared):
    case = shared / "cases/g08-cmyk"
    expected = json.loads((case / "expected.json").read_text())
    image = decode((case / "cmyk.jpg").read_bytes())
    centre = image.getpixel((image.width // 2, image.height // 2))
    assert image.mode == "RGB"
    assert np.abs(np.subtract(centre, expected["rgb_centre"])).max() <= expected["tolerance"]


def test_an_orientation_tag_is_applied(shared):
    case = shared / "cases/g09-exif"
    expected = json.loads((case / "expected.json").read_text())
    data = (case / "o6.jpg").read_bytes()
    image = decode(data)
    assert list(image.size) == expected["size_shown"]
    assert header(data) == (tuple(expected["size_in_json"]), tuple(expected["size_shown"]))
    assert image.getpixel((8, 1)) == (220, 21, 18)
    bottom = image.getpixel((8, 22))
    assert np.abs(np.subtract(bottom, (40, 200, 40))).max() <= 3


def test_the_turned_pixels_carry_no_tag_that_would_turn_them_again(shared):
    image = decode((shared / "cases/g09-exif/o6.jpg").read_bytes())
    again = decode(encoded(image, "PNG", exif=image.getexif()))
    assert again.size == image.size


@pytest.mark.parametrize("tag", range(1, 9))
def test_each_orientation_shows_the_same_scene(tag):
    scene = chequered()
    # How the raw pixels were turned away from the scene, by the tag's definition.
    undo = {
        1: lambda a: a, 2: lambda a: a[:, ::-1], 3: lambda a: a[::-1, ::-1], 4: lambda a: a[::-1],
        5: lambda a: a.swapaxes(0, 1), 6: lambda a: np.rot90(a), 7: lambda a: np.rot90(a)[:, ::-1],
        8: lambda a: np.rot90(a, -1),
    }[tag]  # fmt: skip
    raw = Image.fromarray(np.ascontiguousarray(undo(np.asarray(scene))))
    exif = Image.Exif()
    exif[0x0112] = tag
    data = encoded(raw, "PNG", exif=exif)
    assert np.array_equal(np.asarray(decode(data)), np.asarray(scene))
    assert header(data) == (raw.size, scene.size)


def test_only_the_whole_file_of_the_cut_ones_is_readable(shared):
    case = shared / "cases/g10-truncated"
    expected = json.loads((case / "expected.json").read_text())
    for name in expected["readable"]:
        assert decode((case / name).read_bytes()).mode == "RGB"
    for name in expected["unreadable"]:
        with pytest.raises(UnreadableImage, match=r"damaged or cut off|empty file|not an image"):
            decode((case / name).read_bytes())
    assert ImageFile.LOAD_TRUNCATED_IMAGES is False


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
def test_a_file_cut_in_half_is_unreadable_in_every_format(kind):
    data = encoded(chequered(), kind)
    decode(data)
    with pytest.raises(UnreadableImage):
        decode(data[: len(data) // 2])


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
def test_the_header_of_a_cut_file_is_read_or_refused_by_name(kind):
    data = encoded(chequered(), kind)
    for end in range(0, len(data), 29):
        try:
            raw = header(data[:end]).raw
        except UnreadableImage:
            continue
        assert raw == (40, 30)


def test_the_header_of_a_png_is_read_without_decoding_it(monkeypatch):
    def refuse(*_):
        raise AssertionError("decoded")

    data = encoded(chequered())
    monkeypatch.setattr(ImageFile.ImageFile, "load", refuse)
    assert header(data).raw == (40, 30)


@pytest.mark.parametrize("tag", [b"garbage!", b"II", b"II*\0\xff\xff\xff\x7f", b""])
@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_whole_pixels_beside_a_damaged_tag_are_shown_upright(kind, tag):
    plain = encoded(chequered(), kind)
    data = with_chunk(plain, b"eXIf", tag) if kind == "PNG" else with_exif(plain, tag)
    assert header(data) == ((40, 30), (40, 30))
    assert np.array_equal(np.asarray(decode(data)), np.asarray(decode(plain)))


def test_threads_that_open_images_leave_the_warning_filters_alone(monkeypatch):
    data, before, real = encoded(chequered()), list(warnings.filters), Image.open

    def slow(file, **_):
        time.sleep(0.002)  # so that the threads meet
        return real(file)

    monkeypatch.setattr(Image, "open", slow)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: header(data), range(40)))
    assert warnings.filters == before


def test_a_tag_after_the_pixels_of_a_png_is_applied_too():
    data = with_chunk(encoded(chequered()), b"eXIf", ORIENTATION_6, last=True)
    assert decode(data).size == (30, 40)


@pytest.mark.parametrize("name", ["photo.jpg", "photo.png"])
def test_the_name_of_a_file_does_not_matter(shared, name):
    data = (shared / "cases/g11-wrong-extension" / name).read_bytes()
    assert data[:3] != b"\xff\xd8\xff"  # neither is a JPEG
    assert not (name.endswith("png") and data.startswith(b"\x89PNG"))
    image = decode(data)
    assert image.mode == "RGB"
    assert image.size == header(data).shown


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "CMYK", "YCbCr", "LAB"])
def test_every_colour_space_becomes_rgb(mode):
    image = decode(encoded(chequered(mode), "TIFF"))
    assert image.mode == "RGB"
    assert image.size == (40, 30)


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_what_is_transparent_is_shown_on_white(mode):
    image = Image.new("LA", (2, 1), (0, 0)).convert(mode)
    image.putalpha(Image.fromarray(np.array([[0, 255]], np.uint8)))
    shown = decode(encoded(image))
    assert shown.getpixel((0, 0)) == (255, 255, 255)
    assert shown.getpixel((1, 0)) == (0, 0, 0)


def test_a_palette_with_a_transparent_colour_is_shown_on_white():
    image = Image.new("P", (2, 1), 0)
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.putpixel((1, 0), 1)
    shown = decode(encoded(image, transparency=b"\x00\xff"))
    assert [shown.getpixel((x, 0)) for x in (0, 1)] == [(255, 255, 255), (40, 50, 60)]


def test_sixteen_bit_grey_is_scaled_and_not_clipped():
    values = np.array([[0, 128, 129, 32896, 65535]], np.uint16)
    shown = np.asarray(decode(encoded(Image.fromarray(values))))[0, :, 0]
    assert shown.tolist() == [round(v / 257) for v in values[0].tolist()]


@pytest.mark.parametrize("values", [np.float32([[0.5]]), np.int32([[-1]]), np.int32([[70_000]])])
def test_pixels_of_unknown_range_are_refused(values):
    with pytest.raises(UnreadableImage, match="unknown range"):
        decode(encoded(Image.fromarray(values), "TIFF"))


def test_the_first_frame_of_an_animation_is_shown():
    frames = [Image.new("RGB", (4, 4), c) for c in ("red", "blue")]
    shown = decode(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    assert shown.getpixel((0, 0)) == (255, 0, 0)


def test_a_large_image_is_refused_before_it_is_decoded():
    data = encoded(Image.new("1", (200, 100)))
    for look in (header, decode):
        with pytest.raises(UnreadableImage, match="200 x 100 is more than 19999 pixels"):
            look(data, max_pixels=19_999)
    assert header(data, max_pixels=20_000).raw == (200, 100)


def test_a_decompression_bomb_is_refused_by_name():
    ihdr = b"IHDR" + struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + ihdr
    bomb += struct.pack(">I", zlib.crc32(ihdr))
    bomb += struct.pack(">I", 9) + b"IDAT" + bytes(13)
    with pytest.raises(UnreadableImage, match="too large"):
        header(bomb)


def test_a_postscript_file_runs_nothing(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a program was started")

    monkeypatch.setattr("subprocess.Popen.__init__", refuse)
    data = encoded(Image.new("RGB", (4, 4)), "EPS")
    for look in (header, decode):
        with pytest.raises(UnreadableImage, match="not an image of a format that is read"):
            look(data)
