"""The first sheet of an .xlsx file as rows of texts: what a result table needs, and no more.

An .xlsx file is a ZIP archive of XML (ECMA-376, part 1, sections 18.3 and 18.4): texts stand in the
cell or in a table that cells refer to by number. Formulas and dates are not worked out.
"""

from __future__ import annotations

import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

from oodexp.error import OodexpError

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_COLUMN = re.compile(r"[A-Z]+")
_CHARACTER = re.compile(r"_x([0-9A-Fa-f]{4})_")
_FAULTS = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ElementTree.ParseError, LookupError,
    ValueError, OSError, RuntimeError,  # encrypted, or compressed in an unknown way
)  # fmt: skip
_MOST_BYTES = 2**31  # unpacked; a larger one is no result table but a bomb


def read_workbook(path: Path) -> Iterator[dict[str, str | None]]:
    """The rows below the header, by column; an empty cell is None.

    Raises:
        OodexpError: If the file is no workbook.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            yield from _rows(archive)
    except _FAULTS as error:
        raise OodexpError(
            f"{path}: not an .xlsx workbook ({error}); write the table as .tsv or .jsonl"
        ) from error


def _rows(archive: zipfile.ZipFile) -> Iterator[dict[str, str | None]]:
    if sum(entry.file_size for entry in archive.infolist()) > _MOST_BYTES:
        raise ValueError("it unpacks to more than 2 GiB")
    sheets = [m for name in archive.namelist() if (m := _SHEET.fullmatch(name))]
    if not sheets:
        raise ValueError("it has no sheet")
    first = min(sheets, key=lambda m: int(m[1]))[0]
    shared = _shared(archive)
    with archive.open(first) as sheet:
        header: dict[int, str] = {}
        for cells in _cells(sheet, shared):
            if not header:
                header = {n: text for n, text in cells.items() if text}
            else:
                yield {name: cells.get(n) for n, name in header.items()}


def _shared(archive: zipfile.ZipFile) -> list[str]:
    """The table of texts that cells refer to; empty where there is none."""
    name = "xl/sharedStrings.xml"
    if name not in archive.namelist():
        return []
    with archive.open(name) as file:
        return [_text(e) for _, e in ElementTree.iterparse(file) if e.tag == f"{_MAIN}si"]


def _cells(sheet: IO[bytes], shared: list[str]) -> Iterator[dict[int, str | None]]:
    """The cells of each row by number of the column."""
    for _, row in ElementTree.iterparse(sheet):
        if row.tag != f"{_MAIN}row":
            continue
        found: dict[int, str | None] = {}
        for cell in row.iter(f"{_MAIN}c"):
            place = _COLUMN.match(cell.get("r", ""))
            found[_number(place[0]) if place else len(found)] = _value(cell, shared)
        yield found
        row.clear()


def _number(letters: str) -> int:
    """Number of a column from its letters: A is 0, Z is 25, AA is 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _value(cell: ElementTree.Element, shared: list[str]) -> str | None:
    kind = cell.get("t")
    if kind == "inlineStr":
        return _text(cell)
    value = cell.find(f"{_MAIN}v")
    if value is None or value.text is None or kind == "e":  # an error such as #N/A is no text
        return None
    if kind == "s":
        return shared[_place(value.text)]
    if kind == "b":
        return "TRUE" if value.text == "1" else "FALSE"
    return _plain(value.text)


def _place(text: str) -> int:
    """A place in the table of texts.

    Raises:
        LookupError: If it is none: a negative one would count from the end.
    """
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise LookupError(f"{text[:20]!r} is no place in the table of texts")
    return int(text)


def _text(element: ElementTree.Element) -> str:
    """The runs of a text without the phonetic ones, joined."""
    runs = [
        e.text or ""
        for child in element.iter()
        if child.tag in (f"{_MAIN}si", f"{_MAIN}is", f"{_MAIN}r")
        for e in child.findall(f"{_MAIN}t")
    ]
    return _plain("".join(runs))


def _plain(text: str) -> str:
    """Undoes `_x000A_`, as characters are written that XML or the format does not take."""
    return _CHARACTER.sub(lambda m: chr(int(m[1], 16)), text)
