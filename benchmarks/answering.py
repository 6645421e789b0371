"""Questions to a local VLM against the plain loop: one `generate` a question.

The plain loop is how lmms-eval's simple models work: chat template, processor and `generate` for
every question by itself, batch 1. Same model, same images, same greedy decoding and length; the
answers are compared first, word for word, and without the same answers there is no ratio. Runs
alternate; the figure is processor time. A ratio is the plain loop's time over ours.

The model has the shape of SmolVLM-256M (512 pixels, 64 tokens an image) and random weights; the
miniature VLM is the other. Targets: ratio_8 >= 3 and ratio_8_miniature >= 3 with 8 questions an
image, ratio_2 >= 1.5 with 2. `seconds_per_question_N` is ours with N questions an image.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from benchmarks import smolvlm
from benchmarks.ratio import in_turn
from benchmarks.timing import of_call, show

if TYPE_CHECKING:
    from oodexp.vlm.transformers_chat import TransformersChat

NAMES = ("person", "traffic light", "boat", "dog", "kite", "fire hydrant", "cup", "teddy bear")
GROWTH = (1, 2, 4, 8, 16)
TOKENS = 8
BATCH = 64

Asked = list[tuple[Image.Image, str]]


class Plain:
    """One question at a time through transformers, as a user would write it.

    Args:
        folder: The model.
        dtype: As of the other side.
    """

    def __init__(self, folder: Path, dtype: str = "float32") -> None:
        import transformers

        library: Any = transformers
        self._processor = library.AutoProcessor.from_pretrained(folder)
        model = library.AutoModelForImageTextToText.from_pretrained(folder, dtype=dtype)
        self._model = model.eval()

    def ask(self, asked: Asked) -> list[str]:
        """The text of each reply."""
        import torch

        replies = []
        for image, prompt in asked:
            content = [{"type": "image", "image": image}, {"type": "text", "text": prompt}]
            inputs = self._processor.apply_chat_template(
                [{"role": "user", "content": content}], add_generation_prompt=True,
                tokenize=True, return_dict=True, return_tensors="pt",
            )  # fmt: skip
            inputs.pop("token_type_ids", None)
            with torch.inference_mode():
                ids = self._model.generate(**inputs, do_sample=False, max_new_tokens=TOKENS)
            new = ids[0, inputs["input_ids"].shape[1] :]
            replies.append(
                self._processor.tokenizer.decode(
                    new, skip_special_tokens=True, clean_up_tokenization_spaces=False
                )
            )
        return replies


def questions(images: Sequence[Image.Image], each: int) -> Asked:
    """OODBench's two questions about as many categories as it takes, those of an image together."""
    prompts = [
        f"Does this image {'' if n % 2 == 0 else 'not '}contain a {NAMES[n // 2]}? (yes or no)"
        for n in range(each)
    ]
    return [(image, prompt) for image in images for prompt in prompts]


def ours(vlm: TransformersChat, asked: Asked) -> list[str]:
    """The text of each reply, in batches as the answering loop makes them."""
    found: list[str] = []
    for start in range(0, len(asked), BATCH):
        images, prompts = zip(*asked[start : start + BATCH], strict=True)
        found += [str(reply.text) for reply in vlm.complete(images, prompts)]
    return found


def made(folder: Path) -> TransformersChat:
    """Our side, loaded."""
    from oodexp.vlm.transformers_chat import TransformersChat

    vlm = TransformersChat(str(folder), max_new_tokens=TOKENS)
    vlm.load("cpu")
    return vlm


def compare(name: str, sides: tuple[Plain, Any], asked: Asked, pairs: int) -> dict[str, float]:
    """The ratio and its interval, once the answers are the same.

    Raises:
        SystemExit: If they are not.
    """
    plain, vlm = sides
    told, said = plain.ask(asked), ours(vlm, asked)
    if told != said:
        wrong = sum(a != b for a, b in zip(told, said, strict=True))
        raise SystemExit(f"{name}: {wrong} of {len(told)} answers differ; there is no ratio")
    ratio = in_turn(
        lambda _: of_call(lambda: plain.ask(asked)).cpu,
        lambda _: of_call(lambda: ours(vlm, asked)).cpu, pairs,
    )  # fmt: skip
    return {name: ratio.median, f"{name}_lower": ratio.lower, f"{name}_upper": ratio.upper}


def growth(vlm: TransformersChat, images: Sequence[Image.Image]) -> dict[str, float]:
    """Our processor seconds a question as questions an image grow."""
    rows = {}
    for each in GROWTH:
        asked = questions(images, each)
        cost = of_call(lambda asked=asked: ours(vlm, asked)).cpu  # type: ignore[misc]
        rows[f"seconds_per_question_{each}"] = cost / len(asked)
    return rows


def pictures(number: int, seed: int = 0) -> list[Image.Image]:
    """Photograph-sized noise in large patches."""
    rng = np.random.default_rng(seed)
    return [
        Image.fromarray(rng.integers(0, 255, (15, 20, 3), dtype=np.uint8)).resize((640, 480))
        for _ in range(number)
    ]


def main() -> None:
    """Prints the figures; see the top of this file."""
    from transformers.utils import logging

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    parser.add_argument("--images", type=int, default=4, help="of the SmolVLM shape (default 4)")
    parser.add_argument("--pairs", type=int, default=3, help="of runs (default 3)")
    options = parser.parse_args()
    rows: dict[str, float] = {}
    quiet: Any = logging  # its functions have no types
    quiet.disable_progress_bar()
    with tempfile.TemporaryDirectory(prefix="oodexp-bench-") as scratch:
        folder = smolvlm.save(Path(scratch))
        rows["parameters"] = smolvlm.parameters(folder)
        sides, images = (Plain(folder), made(folder)), pictures(options.images)
        rows |= compare("ratio_8", sides, questions(images, 8), options.pairs)
        rows |= compare("ratio_2", sides, questions(images, 2), options.pairs)
        rows |= growth(sides[1], images)
    from oodexp.miniature import load

    folder = load.MODELS / "fastvlm"
    drawn = load.read_images("test", 32)
    asked = questions(drawn, 8)
    rows |= compare("ratio_8_miniature", (Plain(folder), made(folder)), asked, options.pairs)
    show("Answering: plain loop over oodexp, processor time", rows, "Above 1 oodexp is faster.")
    if options.json:
        nested = {n: rows.pop(f"seconds_per_question_{n}") for n in GROWTH}
        figures: dict[str, Any] = {**rows, "seconds_per_question": nested}
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
