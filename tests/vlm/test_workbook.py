"""Workbooks as other programs write them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from oodexp.error import OodexpError
from oodexp.vlm.workbook import read_workbook

SPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
ROWS = [
    {"index": "0", "prediction": "Yes", "note": None},
    {"index": "1", "prediction": "No,\n <b>no</b>\t& \"no\"", "note": "ü是"},
    {"index": "2", "prediction": None, "note": " padded "},
]  # fmt: skip


def archive(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as sink:
        for name, text in files.items():
            sink.writestr(name, text)
    return path


def sheet(*rows: str) -> str:
    return f"<worksheet {SPACE}><sheetData>{''.join(rows)}</sheetData></worksheet>"


def test_a_workbook_of_openpyxl_is_read(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(list(ROWS[0]))
    for row in ROWS:
        book.active.append([int(row["index"] or 0), row["prediction"], row["note"]])
    book.create_sheet("another").append(["x"])
    book.save(tmp_path / "b.xlsx")
    assert list(read_workbook(tmp_path / "b.xlsx")) == ROWS


def test_a_workbook_of_xlsxwriter_is_read(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    book = xlsxwriter.Workbook(str(tmp_path / "b.xlsx"))
    page = book.add_worksheet()
    for n, row in enumerate([dict(zip(ROWS[0], ROWS[0], strict=True)), *ROWS]):
        for m, value in enumerate(row.values()):
            if value is not None:
                page.write_string(n, m, value)
    book.close()
    assert list(read_workbook(tmp_path / "b.xlsx")) == ROWS


def test_columns_are_told_by_their_letters_and_rich_texts_are_joined(tmp_path: Path) -> None:
    shared = (
        f"<sst {SPACE}><si><r><t>Y</t></r><r><t>es</t></r><rPh><t>loud</t></rPh></si>"
        "<si><t>a_x000D_b</t></si></sst>"
    )
    head = '<row><c r="A1" t="inlineStr"><is><t>a</t></is></c>'
    head += '<c r="AA1" t="inlineStr"><is><t>b</t></is></c></row>'
    body = '<row><c r="AA2" t="s"><v>0</v></c></row><row><c r="A3" t="s"><v>1</v></c>'
    body += '<c r="AA3" t="e"><v>#N/A</v></c></row><row><c r="A4" t="b"><v>1</v></c>'
    body += '<c r="AA4"><v>2.5</v></c></row>'
    files = {"xl/sharedStrings.xml": shared, "xl/worksheets/sheet1.xml": sheet(head, body)}
    assert list(read_workbook(archive(tmp_path / "b.xlsx", **files))) == [
        {"a": None, "b": "Yes"}, {"a": "a\rb", "b": None}, {"a": "TRUE", "b": "2.5"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "files",
    [
        {"other.xml": ""},
        {"xl/worksheets/sheet1.xml": "<worksheet"},
        {"xl/worksheets/sheet1.xml": sheet('<row><c r="A1" t="s"><v>7</v></c></row>')},
        {"xl/worksheets/sheet1.xml": sheet('<row><c r="A1" t="s"><v>x</v></c></row>')},
    ],
)
def test_a_broken_workbook_is_refused(files: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(OodexpError, match=r"b\.xlsx"):
        list(read_workbook(archive(tmp_path / "b.xlsx", **files)))


def test_entities_that_swell_are_refused(tmp_path: Path) -> None:
    inner = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE x [<!ENTITY e0 "aaaaaaaaaa">{inner}]><x>&e11;</x>'
    path = archive(tmp_path / "b.xlsx", **{"xl/worksheets/sheet1.xml": bomb})
    with pytest.raises(OodexpError, match="not an"):
        list(read_workbook(path))


def test_an_archive_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oodexp.vlm.workbook._MOST_BYTES", 10)
    path = archive(tmp_path / "b.xlsx", **{"xl/worksheets/sheet1.xml": sheet("<row/>")})
    with pytest.raises(OodexpError, match="unpacks"):
        list(read_workbook(path))


def test_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.xlsx").write_bytes(b"PK")
    with pytest.raises(OodexpError, match="workbook"):
        list(read_workbook(tmp_path / "b.xlsx"))


def broken(path: Path, change: str) -> Path:
    """A workbook whose archive is damaged in one way."""
    text = sheet(
        '<row><c r="A1"><v>index</v></c></row>', '<row><c r="A2" t="s"><v>-1</v></c></row>'
    )
    if change == "place":
        return archive(
            path,
            **{
                "xl/worksheets/sheet1.xml": text,
                "xl/sharedStrings.xml": f"<sst {SPACE}><si><t>a</t></si></sst>",
            },
        )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as sink:
        sink.writestr("xl/worksheets/sheet1.xml", text * (1 if change != "xml" else 2))
    data = bytearray(path.read_bytes())
    at = data.index(b"sheet1.xml") + len("sheet1.xml")
    central = data.rindex(b"PK\x01\x02")
    if change == "encrypted":
        data[6] |= 1
        data[central + 8] |= 1
    elif change == "method":
        data[8:10] = data[central + 10 : central + 12] = b"\x63\x00"
    elif change == "deflate":
        data[at : at + 8] = b"\xff" * 8
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("change", ["encrypted", "method", "deflate", "place", "xml"])
def test_a_damaged_archive_is_named(tmp_path: Path, change: str) -> None:
    with pytest.raises(OodexpError, match=r"b\.xlsx: not an \.xlsx workbook"):
        list(read_workbook(broken(tmp_path / "b.xlsx", change)))
