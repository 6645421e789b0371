"""Completions, names and ids of any letters, to readers, terminal, report page and exports."""

from __future__ import annotations

import io
import json
import re
import warnings
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pandas as pd
from matplotlib.figure import Figure

from oodexp import record, table
from oodexp.answer.base import is_legal
from oodexp.answer.by_question import ByQuestion
from oodexp.answer.count import Count
from oodexp.answer.judge import judge
from oodexp.answer.paper import Paper
from oodexp.answer.yes_no import YesNo
from oodexp.export.base import Content, files_below
from oodexp.export.hub import Hub
from oodexp.export.inspect import Inspect
from oodexp.export.lmms_eval import LmmsEval
from oodexp.export.pope import Pope
from oodexp.export.vlmevalkit import VLMEvalKit
from oodexp.report.layout import Plain, bold, grid
from oodexp.report.page import page
from oodexp.report.terminal import problem_table
from oodexp.tracker.picture import picture
from tests.export import made
from tests.input.kind import Kind, Result
from tests.report import page_run

PIECES = [
    "yes", "No", "no.", "dog", "dogs", "3", "three", "<think>", "</think>", "**", "\\boxed{", "}",
    "{", "[", "]", '"', "answer:", "\x1b[31m", "\x1b]0;owned\x07", "\x9b2J", "\r", "\x08", "\0",
    "[red]", "[/red]", "[link=file:///]", ":bomb:", "<script>alert(1)</script>", "-->", "<!--",
    "</script>", "{{7*7}}", "{% raw %}", "$\\frac{", "$", "%s", "\u202e", "\u2066", "\ud83d", "😀",
    "é", "e\u0301" * 40, "日本語", "\u3000", "\u200b", "\n", "\t", "  ", "=1+1", "@a", "+", "-",
    "a" * 200, "|", "`", "~~", "&lt;", "\ufeff", "\ue000", "½", "ⅳ", "٣", "../..", "/", "\\",
]  # fmt: skip
READERS = [YesNo(), Paper(), Count(), ByQuestion(YesNo(), Count())]
_SGR = re.compile(r"\x1b\[[\d;]*m")


def text(random: Random, most: int = 30) -> str:
    """Pieces in any order, with letters of all of Unicode between them."""
    parts = []
    for _ in range(random.randint(0, most)):
        if random.random() < 0.3:
            parts.append(chr(random.randrange(0x110000)))
        else:
            parts.append(random.choice(PIECES))
    return random.choice(["", " ", "\n"]).join(parts)


def whole(said: str) -> str:
    """The text as a table holds it: without halves of surrogate pairs."""
    return said.encode("utf-8", "replace").decode()


def readers(random: Random, folder: Path) -> Result:
    """Every reader has a legal reading of every text, of a megabyte, too."""
    said, name = text(random), text(random, 3)
    if random.random() < 0.01:
        said = (said or "x") * (1_000_000 // max(1, len(said)))
    for reader in READERS:
        polarity = "count" if isinstance(reader, Count) else random.choice(["present", "absent"])
        reading = reader.read(said, polarity=polarity, category=name)
        assert is_legal(reading), reading
    asked = [record.Question("q", "s", "i", "dog", "existence", "present", "Dog?", "yes")]
    told = [record.Completion("v", "q", whole(said), "ok", None, 3, 0.1)]
    frame = judge(
        table.frame(record.Completion, told), table.frame(record.Question, asked),
        {r.name: r for r in READERS[:2]},
    )  # fmt: skip
    return "right" if frame["status"].eq("read").any() else "named"


def terminal(random: Random, folder: Path) -> Result:
    """Nothing that a terminal obeys is printed but the program's own colours."""
    names = [text(random, 4) for _ in range(6)]
    sink = io.StringIO()
    screen = Plain(file=sink, width=120, force_terminal=True, color_system="standard")
    shown = grid(names[0], names[1:3], 1, names[3])
    shown.add_row(names[4], bold(names[5]))
    held = [whole(name) for name in names]
    rows = [{key: random.choice(held) for key in record.Problem.__dataclass_fields__}]
    for one in (shown, problem_table(pd.DataFrame(rows), 5)):
        screen.print(one)
    screen.print(f"note: {names[0]}", soft_wrap=True, highlight=False)
    left = _SGR.sub("", sink.getvalue())
    assert all(c in "\n\t" or not _is_control(c) for c in left), ascii(left)
    return "right"


def _is_control(letter: str) -> bool:
    code = ord(letter)
    return code < 32 or 127 <= code < 160 or 0xD800 <= code < 0xE000 or letter in "\u202e\u2066"


def report(random: Random, folder: Path) -> Result:
    """The page holds the program's scripts and no other, whatever completions and names hold."""
    tables = page_run.make_tables(2)
    said = [whole(text(random)) for _ in tables["completions"].index]
    tables["completions"] = tables["completions"].assign(completion=said)
    name = whole(text(random, 4)) or "dog"
    for frame in tables.values():
        if "category" in frame:
            frame["category"] = frame["category"].replace("dog", name)
    made_page = page(tables, {"title": name, "note": said[0]}, page_run.no_picture, {})
    tree = page_run.Tree(made_page)
    kinds = [attrs.get("type") for attrs in tree.all("script")]
    assert kinds.count(None) == 1
    assert all(kind in (None, "application/json", "text/plain") for kind in kinds)
    assert not any(word.startswith("on") for _, attrs in tree.elements for word in attrs)
    kept = json.loads(tree.raw["cards"])["strings"]
    assert set(said) <= set(kept)
    return "right"


def figure(random: Random, folder: Path) -> Result:
    """Names in figures are letters and no formula; an SVG file is XML."""
    name = text(random, 6)
    drawing = Figure(figsize=(2, 2), layout="constrained")
    axes = drawing.subplots()
    axes.set_title(name)
    axes.plot([0, 1], label=text(random, 3) or "dog")
    axes.set_yticks([0, 1], [text(random, 3), "dog"])
    axes.legend()
    axes.annotate(name, (0, 0))
    ending = random.choice(["png", "svg"])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*layout not applied.*")  # a name longer than the figure
        data = picture(drawing, ending)
    if ending == "svg":
        ElementTree.fromstring(data.decode("utf-8"))
    return "right"


EXPORTERS = [LmmsEval, VLMEvalKit, Pope, Inspect, Hub]


def exported(random: Random, folder: Path) -> Result:
    """Ids and classes of any letters give files that stay in the export's folder."""
    plain = made.content(questions=made.questions(counting=False))
    names = {name: whole(text(random, 3)) or name for name in ("dog", "traffic light")}
    ids = {made.CLIMB: whole(text(random, 3)) or "x", made.NESTED: whole(text(random, 3)) or "y"}
    if len({*ids.values()}) < 2 or len({*names.values()}) < 2:
        return "right"
    back = {new: old for old, new in ids.items()}
    tables = {}
    for name in ("questions", "memberships", "pairs", "images"):
        frame = getattr(plain, name)
        wanted = {"category": names, "image_id": ids}
        frame = frame.replace({c: v for c, v in wanted.items() if c in frame})
        tables[name] = frame
    about = {"a": ids[made.CLIMB]}
    content = Content(**tables, read=lambda s, i: plain.read(s, back[i]), about=about)
    home = folder / "export"
    random.choice(EXPORTERS)(population="all").write(home, content)
    for file in files_below(folder):
        assert file.resolve().is_relative_to(home)
        assert re.fullmatch(r"[A-Za-z0-9_.=/-]+", file.relative_to(home).as_posix()), file
    rows = [json.loads(line) for line in (home / "index.jsonl").read_text("utf-8").splitlines()]
    assert {row["image_id"] for row in rows} == set(tables["questions"]["image_id"])
    return "right"


KINDS = [
    Kind("completions: all readers", readers, 3.0),
    Kind("completions, names: terminal", terminal, 2.0),
    Kind("completions, names: report page", report, 0.5),
    Kind("names: figures", figure, 0.3),
    Kind("names: exported files", exported, 0.5),
]
