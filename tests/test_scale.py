"""docs/scale.md: its arithmetic is right, its commands compose, its script is a script."""

from __future__ import annotations

import ast
import operator
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
TEXT = (DOCS / "scale.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| ([\d,.]+) \| (.+?) \|$", re.MULTILINE)
OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


def tables() -> tuple[dict[str, float], list[tuple[str, float, str]]]:
    """Inputs by name; name, printed value and formula of each result."""
    inputs, _, results = TEXT.partition("## What follows")
    given = {name: float(value.replace(",", "")) for name, value, _ in ROW.findall(inputs)}
    worked = [
        (name, float(value.replace(",", "")), formula.strip("`"))
        for name, value, formula in ROW.findall(results)
    ]
    return given, worked


def evaluate(node: ast.expr, known: dict[str, float]) -> float:
    if isinstance(node, ast.Name):
        return known[node.id]
    if isinstance(node, ast.Constant):
        return float(node.value)
    assert isinstance(node, ast.BinOp)
    left, right = evaluate(node.left, known), evaluate(node.right, known)
    return OPERATORS[type(node.op)](left, right)


def test_every_result_follows_from_the_inputs():
    known, worked = tables()
    assert len(known) > 20
    assert len(worked) > 15
    for name, printed, formula in worked:
        value = evaluate(ast.parse(formula, mode="eval").body, known)
        assert printed == pytest.approx(value, rel=0.006), f"{name} = {formula} = {value}"
        assert name not in known
        known[name] = value  # further results rest on the whole value, not on the printed one


def test_every_input_says_where_it_is_from():
    inputs = TEXT.partition("## What follows")[0]
    for name, _, where in ROW.findall(inputs):
        assert re.search(r"OODBench|measured|published|assumed|conf/|speed limit", where), name


def commands() -> list[str]:
    """The command lines of `oodexp.run`, from the text and from the script."""
    found = []
    for source in (TEXT, (DOCS / "scale.sbatch").read_text(encoding="utf-8")):
        joined = source.replace("\\\n", " ")
        found += re.findall(r"python -m oodexp\.run (.+)|(?<=-m )oodexp\.run (.+)", joined)
    return [first or second for first, second in found]


def test_there_is_a_command_for_each_size():
    whole = "\n".join(commands())
    for loop in ("local", "ddp", "slurm"):
        assert f"predict={loop}" in whole
    assert "vlm=[openai_api]" in whole


@pytest.mark.parametrize("line", commands())
def test_commands_compose(line):
    for name, value in {"SLURM_NNODES": "8", "DATA": "/d", "RUNS": "/r"}.items():
        line = line.replace(f"${name}", value)
    command = [sys.executable, "-m", "oodexp.run", *shlex.split(line), "--cfg", "job"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_script_is_one():
    subprocess.run(["bash", "-n", str(DOCS / "scale.sbatch")], check=True)
