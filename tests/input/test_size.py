"""Inputs of sizes that nobody has: refused, or read in bounded time and memory."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oodexp.answer.count import Count
from oodexp.answer.yes_no import YesNo
from oodexp.error import OodexpError
from oodexp.source.coco import Coco
from oodexp.source.stream import read
from tests.input.texts import PIECES

MEASURED = """
import resource, sys
from oodexp.error import OodexpError
from oodexp.source.coco import Coco
try:
    Coco(sys.argv[1], sys.argv[2]).images()
except OodexpError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def measured(file: Path) -> tuple[str, float]:
    """What is said of a file by a process of its own, and its memory in MB."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(file), str(file.parent)],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    *said, memory = done.stdout.splitlines()
    return "\n".join(said), int(memory) / 1024


@pytest.mark.slow
def test_ten_million_categories_are_refused_before_they_fill_the_memory(tmp_path):
    file = tmp_path / "f.json"
    with file.open("w") as sink:
        sink.write('{"images": [], "annotations": [], "categories": [')
        for start in range(0, 10_000_000, 100_000):
            rows = (f'{{"id": {n}, "name": "{n}"}}' for n in range(start, start + 100_000))
            sink.write(("," if start else "") + ",".join(rows))
        sink.write("]}")
    said, memory = measured(file)
    assert "more than 1,048,576 categories" in said
    assert memory < 1_500


@pytest.mark.slow
def test_a_file_of_a_gigabyte_without_a_brace_is_read_once(tmp_path):
    file = tmp_path / "f.json"
    with file.open("wb") as sink:
        sink.write(b'["')
        for _ in range(1_000):
            sink.write(b"x" * 1_000_000)
    begun = time.process_time()
    with pytest.raises(OodexpError, match="not JSON"):
        read(file, {})
    # Copied for every piece it took hours' worth of memory traffic, over a minute of one core.
    assert time.process_time() - begun < 40


@pytest.mark.parametrize(
    "start", ['{"images": [', '{"annotations": [{"segmentation": [[1,', '{"a":']
)
def test_a_megabyte_of_brackets_is_refused(tmp_path, start):
    (tmp_path / "f.json").write_text(start + "[" * 1_000_000)
    with pytest.raises(OodexpError, match=r"f\.json: "):
        Coco(str(tmp_path / "f.json"), str(tmp_path)).images()


def test_many_images_and_categories_that_fit_are_read(tmp_path):
    document = {
        "images": [{"id": n, "file_name": f"{n}.png"} for n in range(20_000)],
        "annotations": [{"id": n, "image_id": n, "category_id": n % 500} for n in range(20_000)],
        "categories": [{"id": n, "name": f"k{n}"} for n in range(500)],
    }
    (tmp_path / "f.json").write_text(json.dumps(document))
    source = Coco(str(tmp_path / "f.json"), str(tmp_path))
    assert source.presence().sum() == 20_000
    assert len(source.pairs()) == 20_000


def seconds(reader: YesNo | Count, said: str) -> float:
    """CPU time of one reading; the pages of this process are there already."""
    begun = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    reader.read(said, polarity="count" if reader.name == "count" else "present", category="dog")
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - begun


@pytest.mark.slow
@pytest.mark.parametrize("piece", [p for p in PIECES if p.strip()], ids=ascii)
@pytest.mark.parametrize("reader", [YesNo(), Count()], ids=["yes_no", "count"])
def test_a_reader_of_a_megabyte_takes_time_in_proportion(reader, piece):
    """Ten times the text may take thirty times as long; a hundred would be quadratic."""
    short = (piece + " ") * (100_000 // (len(piece) + 1))
    small = min(seconds(reader, short) for _ in range(3))
    large = seconds(reader, short * 10)
    assert large < max(30 * small, 0.5), (small, large)
