"""What comes from a data set is shown as it is written, and nothing of it reaches the terminal."""

from __future__ import annotations

import io
import re

import pytest

from oodexp.report.layout import Plain, bold, grid

RED, TITLE, BACK = "\x1b[31m", "\x1b]0;owned\x07", "\u202ednow"
NASTY = ["[red]", "[/red]", "[link=file:///etc/passwd]x", ":bomb:", f"{RED}dog", TITLE, BACK,
         "a\rb", "\x9b31m", "\ud83d", "nul\0", "\u2028x"]  # fmt: skip


def shown(name: str, **options: object) -> str:
    sink = io.StringIO()
    screen = Plain(file=sink, width=200, **options)
    table = grid(f"Of {name}", (f"head {name}", "bold"), 2, caption=f"below {name}")
    table.add_row(name, bold(name))
    screen.print(table)
    screen.print(f"note: {name}", soft_wrap=True)
    return sink.getvalue()


@pytest.mark.parametrize("name", NASTY)
def test_nothing_that_a_terminal_obeys_is_printed(name):
    said = shown(name)
    assert all(c == "\n" or (c.isprintable() and not "\ud800" <= c <= "\udfff") for c in said)


@pytest.mark.parametrize("name", ["[red]", "[/red]", "[link=file:///etc/passwd]x", ":bomb:"])
def test_markup_is_shown_as_it_is_written(name):
    assert shown(name).count(name) == 6


def test_an_escape_sequence_is_shown_as_its_escape():
    assert shown(f"{RED}dog").count("\\x1b[31mdog") == 6


def test_on_a_terminal_the_only_escapes_are_our_own_colours():
    said = shown(TITLE, force_terminal=True, color_system="standard")
    assert "\x1b[1m" in said
    rest = re.sub(r"\x1b\[[\d;]*m", "", said)
    assert "\x1b" not in rest
    assert "\x07" not in rest
