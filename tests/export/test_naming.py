"""Names that stay in their folder."""

from __future__ import annotations

import io
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from oodexp.export.naming import escape, image_kind, image_names, part_name, slug

HOSTILE = [
    "..",
    ".",
    "",
    "../../x",
    "a/b",
    "a\\b",
    "/etc/passwd",
    "C:\\x",
    "a\0b",
    "a\nb",
    "~",
    "%2e",
]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS)
def test_an_escaped_text_is_safe_and_can_be_undone(text: str) -> None:
    name = escape(text)
    assert re.fullmatch(r"[A-Za-z0-9_=-]*", name)
    assert unquote(name.replace("=", "%")) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_id_is_a_file_in_the_folder(text: str, tmp_path: Path) -> None:
    (name,) = image_names([(text, text)]).values()
    path = tmp_path / f"{name}.png"
    path.write_bytes(b"x")
    assert path.resolve().parent == tmp_path.resolve()
    assert list(tmp_path.iterdir()) == [path]


@given(st.lists(st.tuples(TEXTS, TEXTS), unique=True))
def test_two_images_never_share_a_name_even_without_case(images: list[tuple[str, str]]) -> None:
    names = image_names(images)
    assert list(names) == images
    assert len({name.lower() for name in names.values()}) == len(images)


def test_names_that_differ_by_case_alone_are_told_apart() -> None:
    first, second = image_names([("s", "A1"), ("s", "a1")]).values()
    assert first.lower() != second.lower()


def test_the_same_words_cut_elsewhere_are_other_images() -> None:
    first, second = image_names([("a.b", "c"), ("a", "b.c")]).values()
    assert first != second


def test_a_long_id_is_cut_to_a_name_that_file_systems_take() -> None:
    names = image_names([("s", "x" * 5000), ("s", "x" * 5001)])
    assert len(set(names.values())) == 2
    assert max(map(len, names.values())) < 200


@pytest.mark.parametrize("form", ["JPEG", "PNG", "GIF", "BMP", "TIFF", "WEBP"])
def test_the_kind_of_a_file_is_told_by_its_bytes(form: str) -> None:
    sink = io.BytesIO()
    Image.new("RGB", (3, 3)).save(sink, form)
    ending, media = image_kind(sink.getvalue())
    assert media == Image.MIME[form]
    assert Image.registered_extensions()[ending] == form


def test_a_file_of_no_kind_is_called_so() -> None:
    assert image_kind(b"") == (".img", "application/octet-stream")


def test_names_of_parts_are_plain_words() -> None:
    assert part_name("My set/1", "OOD-S", "existence_cot") == "my_set_1_ood_s_existence_cot"
    assert slug(None) == "no_split"
