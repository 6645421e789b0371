"""A task folder for lmms-eval: a YAML file for each part, `utils.py`, and Parquet shards.

Beside the folder's `--include_path` nothing has to be installed. The scores that lmms-eval prints
are a preview by `utils.py`; the readings that count are made from its `--log_samples` file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.export import lmms_eval_utils
from oodexp.export.base import Content, files_below, opened
from oodexp.export.card import card, write_card
from oodexp.export.index import place, write_index
from oodexp.export.naming import slug
from oodexp.export.part import Bytes, parts
from oodexp.export.shard import LIMIT, write_shards

if TYPE_CHECKING:
    from oodexp.export.index import Place
    from oodexp.export.part import Part

_USE = """\
```
python -m lmms_eval --model MODEL --include_path FOLDER --tasks {tasks} --log_samples \\
    --output_path OUT
```

FOLDER is the folder of this file. Run it elsewhere: lmms-eval takes a folder in the working
directory that is named as the tasks are for a folder of tasks. The standard errors that it prints
beside every metric are those of `accuracy`. Keep the file `*_samples_<task>.jsonl` of each task."""


class LmmsEval:
    """Writes `<name>/<part>.yaml`, `<name>/utils.py` and `<name>/data/<part>-*.parquet`.

    Args:
        name: Name of the data set: first word of every task, and the tag that runs them all.
        population: `drawn` or `all` questions (see `part.parts`).
        max_new_tokens: Of a reply, where no question of the part says how many.
        version: Of the tasks. lmms-eval's cache knows it and not the image bytes, so another
            division needs another one.
        shard_bytes: Bytes of images in a Parquet file, about.
    """

    def __init__(
        self, name: str = "oodexp", population: str = "drawn", max_new_tokens: int = 32,
        version: float = 1.0, shard_bytes: int = LIMIT,
    ) -> None:  # fmt: skip
        self._name = name
        self._population = population
        self._most = max_new_tokens
        self._version = version
        self._limit = shard_bytes

    def write(self, folder: Path, content: Content) -> list[Path]:
        """See `base.Exporter`."""
        found = parts(content, self._name, self._population)
        tag = slug(self._name)
        tasks, read = opened(folder) / tag, Bytes(content)
        places: list[Place] = []
        for part in found:
            shards = write_shards(tasks / "data", part.name, part.items, read, self._limit)
            names = [f"data/{shard.name}" for shard in shards]
            text = task(part, names, tag, self._limit_of(part), self._version)
            (tasks / f"{part.name}.yaml").write_text(text, "utf-8", newline="\n")
            places += place(part.items, part.name, None)
        source = Path(lmms_eval_utils.__file__).read_text("utf-8")
        (tasks / "utils.py").write_text(source, "utf-8", newline="\n")
        write_card(folder, card(self._name, found, content.about, _USE.format(tasks=tag)))
        write_index(folder, places)
        return files_below(folder)

    def _limit_of(self, part: Part) -> int:
        """A task has one limit: the longest that one of its questions needs."""
        return max((item.max_tokens or self._most for item in part.items), default=self._most)


def task(part: Part, shards: list[str], tag: str, most: int, version: float) -> str:
    """The text of a task's YAML file.

    Args:
        part: The questions.
        shards: Parquet files from the folder of the YAML file; a list, as patterns are not
            looked for there.
        tag: Runs all tasks of the export.
        most: Most new tokens of a reply.
        version: Of the task.
    """
    # An explicit empty list: without it a blank line would end every reply.
    generation = {"max_new_tokens": most, "temperature": 0, "do_sample": False, "until": []}
    fields: dict[str, Any] = {
        "task": part.name, "tag": tag, "dataset_path": "parquet",
        "dataset_kwargs": {"data_files": {"test": shards}}, "test_split": "test",
        "output_type": "generate_until", "doc_to_target": "answer",
        "generation_kwargs": generation,
        "lmms_eval_specific_kwargs": {"default": {"pre_prompt": "", "post_prompt": ""}},
        "cluster_key": "image_id", "score_key": "score",
        "reasoning_tags": "none", "metadata": {"version": version},
    }  # fmt: skip
    lines = [f"{key}: {json.dumps(value)}" for key, value in fields.items()]
    lines += [f"{name}: !function utils.{name}" for name in ("doc_to_visual", "doc_to_text")]
    lines += ["process_results: !function utils.process_results"]
    lines += ["# The score first: printed standard errors belong to it alone.", "metric_list:"]
    for metric, higher in (("accuracy", True), ("unread", False)):
        lines += [
            f"  - metric: {metric}",
            f"    aggregation: !function utils.{metric}",
            f"    higher_is_better: {json.dumps(higher)}",
        ]
    return "\n".join(lines) + "\n"
