"""A small run with hostile texts and lacking values, and a page taken apart."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser

import numpy as np
from PIL import Image as Picture

from oodexp import record, table
from oodexp.record import SPLITS

EVIL = "<script>alert(1)</script><!--<script>"
SCORERS = ("clip", "blip<b>")
VLMS = ("strong", "weak & <i>tired</i>")
META = {"title": f"run {EVIL}", "command": "python -m oodexp.run 'a=<b>'", "git.commit": "55741b1f"}
VOID = {"meta", "img", "input", "br", "link", "hr"}


class Tree(HTMLParser):
    """Elements and texts; raises where an element is closed that is not the innermost open one."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.text, self.raw = [], [], [], {}
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        tag, attrs = self.open[-1] if self.open else ("", {})
        if tag == "script":
            name = attrs.get("id", "code")
            self.raw[name] = self.raw.get(name, "") + data
        elif tag != "style":
            self.text.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def drawing(side=(300, 200), kind="PNG", colour=(200, 30, 60)):
    kept = io.BytesIO()
    Picture.new("RGB", side, colour).save(kept, format=kind)
    return kept.getvalue()


def make_tables(images=4):
    """A run of `images` images with three pairs each, one a split; the last pair is unasked."""
    ids = [f"{n}" for n in range(images - 1)] + [f"id {EVIL}"]
    pairs, signals, members, questions, completions, answers = ([] for _ in range(6))
    for n, image in enumerate(ids):
        for s, split in enumerate(SPLITS):
            category = ("chair", "dog", f"cat {EVIL}")[s]
            pairs.append(record.Pair("src", image, category, n + 1, None, 10.0, None))
            drawn = not (n == 1 and s == 0)
            members.append(
                record.Membership("src", image, category, True, split, s, 2, drawn, None)
            )
            for k, scorer in enumerate(SCORERS):
                value = 0.9 - 0.4 * s - 0.01 * n - 0.001 * k
                signals.append(
                    record.Signal(scorer, "src", image, category, value, value - 0.5, "rival",
                                  s > k, None)
                )  # fmt: skip
            for polarity, target in (("present", "yes"), ("absent", "no")):
                name = f"src/{image}/{category}/existence/{polarity}"
                text = f"Is a {category} {polarity}?"
                questions.append(
                    record.Question(name, "src", image, category, "existence", polarity, text,
                                    target, None, split)
                )  # fmt: skip
                for v, vlm in enumerate(VLMS):
                    said = f"{target} {EVIL} {n}"
                    completions.append(record.Completion(vlm, name, said, "ok", None, 3, 0.1))
                    reading = None if (n, s, v) == (0, 2, 1) else target if s < 2 else "yes"
                    status = "read" if reading else "unknown"
                    answers.append(
                        record.Answer(vlm, "yes_no", name, reading, status, None,
                                      reading == target)
                    )  # fmt: skip
                    answers.append(record.Answer(vlm, "paper", name, "no", "read", None, False))
    return {
        "pairs": table.frame(record.Pair, pairs),
        "signals": table.frame(record.Signal, signals),
        "memberships": table.frame(record.Membership, members),
        "questions": table.frame(record.Question, questions),
        "completions": table.frame(record.Completion, completions),
        "answers": table.frame(record.Answer, answers),
        "measurements": measurements(),
        "problems": table.frame(
            record.Problem, [record.Problem("decode", "", "src", EVIL, "x.jpg", "cut off & lost")]
        ),
        "calibration": table.frame(
            record.Calibration,
            [record.Calibration(VLMS[1], "existence", s, b / 4, (b + 1) / 4, b / 4 + 0.1, b / 4, 9)
             for s in SPLITS for b in range(4)],
        ),
    }  # fmt: skip


def measurements():
    """Different values everywhere, so that a cell in the wrong place is seen."""
    rng = np.random.default_rng(5)
    rows = []
    for vlm in VLMS:
        for source in ("pooled", "src", "other"):
            for group in ("all", "size: small") if source == "pooled" else ("all",):
                for split in SPLITS:
                    for contrast in ("none", "ID")[: 1 if split == "ID" else 2]:
                        for metric in ("accuracy", "mcc"):
                            for convention in ("headline", "read"):
                                value = float(rng.uniform(-0.2, 0.9))
                                rows.append(
                                    record.Measurement(
                                        vlm, "existence", source, split, contrast, group,
                                        convention, metric, value, value - 0.0513, value + 0.0617,
                                        1234, 17, 605, None)
                                )  # fmt: skip
    rows[0] = record.Measurement(
        VLMS[0], "existence", "pooled", "ID", "none", "all", "headline", "accuracy", None, None,
        None, 0, 0, 0, "no <question> was asked",
    )  # fmt: skip
    return table.frame(record.Measurement, rows)


def no_picture(source, image):
    return None


def cells(text):
    """Rows of all tables: texts of the cells, value and what is below joined by `|`."""
    rows = re.findall(r"<tr>(.*?)</tr>", text, flags=re.S)
    return [
        [re.sub(r"<[^>]*>", "|", cell).strip("|") for cell in re.findall(r"<td.*?</td>", row)]
        for row in rows
    ]
