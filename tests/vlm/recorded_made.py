"""Predictions of an export as other programs write them, made by the test."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pandas as pd
from hydra.utils import instantiate
from omegaconf import OmegaConf

from oodexp.vlm.base import Reply, Request
from oodexp.vlm.recorded import Recorded
from tests.export import made, opened

CONF = Path(__file__).resolve().parents[2] / "conf"
SAID = [
    "Yes.",
    "**No**",
    "None",
    "No, there is no dog.\n\nReally\tnot.",
    "<think>no</think> yes",
    ",",
]
"""Replies with what loses them: blank lines, tabs, commas, a text that reads as missing."""

Write = Callable[[Path, str, list[dict[str, Any]]], list[Path]]


def said(row: Mapping[str, Any]) -> str:
    """What a model of its own would say: depends on the image and the prompt alone."""
    told = f"{row['image_sha256']}{row['prompt']}"
    return SAID[int(hashlib.sha256(told.encode()).hexdigest(), 16) % len(SAID)]


def by_part(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    return {p: [r for r in rows if r["part"] == p] for p in sorted({r["part"] for r in rows})}


def jsonl(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def nameless(part: str, ending: str) -> str:
    """A file name that does not tell its part."""
    return hashlib.sha256(part.encode()).hexdigest() + ending


def lmms_by_number(folder: Path, part: str, rows: list[dict[str, Any]]) -> list[Path]:
    told = [
        {"doc_id": r["row"], "target": r["target"], "input": f"USER {r['prompt']}",
         "resps": [[said(r)]], "filtered_resps": ["filtered"]}
        for r in reversed(rows)
    ]  # fmt: skip
    return [jsonl(folder / f"20260101_000000_samples_{part}.jsonl", told)]


def lmms_by_metric(folder: Path, part: str, rows: list[dict[str, Any]]) -> list[Path]:
    told = [
        {"doc_id": 0, "filtered_resps": [said(r)], "accuracy": {"question_id": r["question_id"]}}
        for r in rows
    ]
    return [jsonl(folder / nameless(part, ".jsonl"), told)]


def kit_rows(rows: list[dict[str, Any]], carry: bool) -> list[dict[str, Any]]:
    return [
        {"index": r["row"], "question": r["prompt"], "prediction": said(r)}
        | ({"question_id": r["question_id"]} if carry else {})
        for r in rows
    ]


def kit_tsv(folder: Path, part: str, rows: list[dict[str, Any]]) -> list[Path]:
    path = folder / f"model_{part}.tsv"
    pd.DataFrame(kit_rows(rows, carry=False)).to_csv(path, sep="\t", index=False)
    return [path]


def kit_json(folder: Path, part: str, rows: list[dict[str, Any]]) -> list[Path]:
    path = folder / f"model_{part}.json"
    path.write_text(json.dumps(kit_rows(rows, carry=True)))
    return [path]


def kit_columns(folder: Path, part: str, rows: list[dict[str, Any]]) -> list[Path]:
    path = folder / f"model_{part}.json"
    path.write_text(pd.DataFrame(kit_rows(rows, carry=False)).to_json())
    return [path]


def kit_xlsx(folder: Path, part: str, rows: list[dict[str, Any]]) -> list[Path]:
    return [workbook(folder / f"model_{part}.xlsx", kit_rows(rows, carry=False), shared=True)]


def pope_by_order(folder: Path, part: str, rows: list[dict[str, Any]]) -> list[Path]:
    told = [{"question": r["prompt"], "answer": said(r)} for r in rows]
    return [jsonl(folder / f"{part}.jsonl", told)]


def pope_by_number(folder: Path, part: str, rows: list[dict[str, Any]]) -> list[Path]:
    told = [
        {"question_id": r["row"], "prompt": r["prompt"], "text": said(r), "model_id": "m"}
        for r in reversed(rows)
    ]
    return [jsonl(folder / f"{part}.jsonl", told)]


def plain_csv(folder: Path, part: str, rows: list[dict[str, Any]]) -> list[Path]:
    path = folder / nameless(part, ".csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "completion"])
        writer.writerows([r["question_id"], said(r)] for r in rows)
    return [path]


def plain_jsonl(folder: Path, part: str, rows: list[dict[str, Any]]) -> list[Path]:
    told = [{"question_id": r["question_id"], "completion": said(r)} for r in rows]
    return [jsonl(folder / f"{part}.jsonl", told)]


FORMS: dict[str, tuple[str, Write]] = {
    "lmms_eval, by number": ("lmms_eval", lmms_by_number),
    "lmms_eval, by metric": ("lmms_eval", lmms_by_metric),
    "vlmevalkit, tsv": ("vlmevalkit", kit_tsv),
    "vlmevalkit, json": ("vlmevalkit", kit_json),
    "vlmevalkit, json by column": ("vlmevalkit", kit_columns),
    "vlmevalkit, xlsx": ("vlmevalkit", kit_xlsx),
    "pope, by order": ("pope", pope_by_order),
    "pope, by number": ("pope", pope_by_number),
    "plain, csv of inspect": ("inspect", plain_csv),
    "plain, jsonl of hub": ("hub", plain_jsonl),
}
"""Export and writer of its predictions."""


def cell(text: str, place: str, texts: list[str] | None) -> str:
    if texts is None:
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'
    texts.append(text)
    return f'<c r="{place}" t="s"><v>{len(texts) - 1}</v></c>'


def workbook(path: Path, rows: Sequence[Mapping[str, Any]], shared: bool) -> Path:
    """A workbook by hand; whole numbers are numbers, and an empty cell is left out."""
    texts: list[str] | None = [] if shared else None
    body = []
    for number, values in enumerate([list(rows[0]), *(list(r.values()) for r in rows)], 1):
        cells = [
            f'<c r="{chr(65 + n)}{number}"><v>{v}</v></c>'
            if isinstance(v, int)
            else cell(v, f"{chr(65 + n)}{number}", texts)
            for n, v in enumerate(values)
            if v is not None
        ]
        body.append(f'<row r="{number}">{"".join(cells)}</row>')
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    with zipfile.ZipFile(path, "w") as archive:
        sheet = f"<worksheet {space}><sheetData>{''.join(body)}</sheetData></worksheet>"
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
        if texts is not None:
            told = "".join(f'<si><t xml:space="preserve">{escape(t)}</t></si>' for t in texts)
            archive.writestr("xl/sharedStrings.xml", f"<sst {space}>{told}</sst>")
    return path


def ask(vlm: Recorded, *asked: tuple[bytes, str]) -> list[Reply]:
    async def session() -> list[Reply]:
        async with vlm.session(None) as open_session:  # type: ignore[arg-type]
            return [
                await open_session.ask(Request("key", content, prompt, None))
                for content, prompt in asked
            ]

    return asyncio.run(session())


def exported(name: str, folder: Path, **settings: Any) -> list[dict[str, Any]]:
    node = OmegaConf.load(CONF / "export" / f"{name}.yaml")[name]
    instantiate(node, **settings).write(folder, made.content())
    return opened.index(folder)


def content_of(row: Mapping[str, Any]) -> tuple[bytes, str]:
    return made.FILES[row["source"], row["image_id"]], row["prompt"]
