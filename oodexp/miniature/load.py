"""Where the shipped files lie, and the shipped models through the classes that load real ones."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from oodexp.miniature.annotation import read_coco

if TYPE_CHECKING:
    from numpy.typing import NDArray

HOME = Path(__file__).parent
DATA = HOME / "data"
MODELS = HOME / "models"
PROMPT = "a photo of a {}"


def read_annotations(split: str) -> dict[str, Any]:
    """Reads the shipped annotation file of a split.

    Args:
        split: ``train``, ``dev`` or ``test``.

    Returns:
        The COCO dictionary.
    """
    return read_coco(DATA / f"{split}.json.gz")


def read_images(split: str, number: int | None = None) -> list[Image.Image]:
    """Reads the shipped images of a split, in the order of the annotation file.

    Args:
        split: ``dev`` or ``test``; the training images are drawn from their seed.
        number: How many to read from the start; None reads all.

    Returns:
        RGB pictures of 64 by 64 pixels.
    """
    names = [row["file_name"] for row in read_annotations(split)["images"][:number]]
    with zipfile.ZipFile(DATA / f"{split}.zip") as archive:
        return [Image.open(io.BytesIO(archive.read(name))).convert("RGB") for name in names]


def open_clip_logits(
    pictures: list[Image.Image], texts: list[str], folder: Path = MODELS / "open_clip"
) -> NDArray[np.float32]:
    """Scores pictures against texts with the open_clip model.

    Args:
        pictures: n pictures.
        texts: k texts.
        folder: The model's ``local-dir:`` folder.

    Returns:
        (n, k) cosines times the learned scale.
    """
    import open_clip
    import torch

    model: Any
    model, _, preprocess = open_clip.create_model_and_transforms(f"local-dir:{folder}")
    tokenizer = open_clip.get_tokenizer(f"local-dir:{folder}")
    model.eval()
    with torch.inference_mode():
        words = model.encode_text(tokenizer(texts), normalize=True)
        parts = []
        for start in range(0, len(pictures), 64):
            pixels = torch.stack([preprocess(p) for p in pictures[start : start + 64]])
            seen = model.encode_image(pixels, normalize=True)
            parts.append(model.logit_scale.exp() * seen @ words.T)
    scores: NDArray[np.float32] = torch.cat(parts).numpy()
    return scores


def blip2_logits(
    pictures: list[Image.Image], texts: list[str], folder: Path = MODELS / "blip2"
) -> NDArray[np.float32]:
    """Scores pictures against texts with the contrastive head of the BLIP-2 model.

    Args:
        pictures: n pictures.
        texts: k texts.
        folder: The model's folder; its ``oodexp_scale.json`` holds the scale of the cosines.

    Returns:
        (n, k) cosines times the scale.
    """
    import torch
    from transformers import AutoProcessor, Blip2ForImageTextRetrieval

    model: Any = Blip2ForImageTextRetrieval.from_pretrained(folder, dtype=torch.float32)
    model.eval()
    loader: Any = AutoProcessor
    processor = loader.from_pretrained(folder)
    scale = json.loads((folder / "oodexp_scale.json").read_text())["scale"]
    text = processor.tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    parts = []
    with torch.inference_mode():
        for start in range(0, len(pictures), 64):
            sight = processor.image_processor(pictures[start : start + 64], return_tensors="pt")
            out = model(
                pixel_values=sight["pixel_values"],
                input_ids=text["input_ids"],
                attention_mask=text["attention_mask"],
                use_image_text_matching_head=False,
            )
            parts.append(scale * out.logits_per_image)
    scores: NDArray[np.float32] = torch.cat(parts).numpy()
    return scores


def lit_logits(
    pictures: list[Image.Image], texts: list[str], folder: Path = MODELS / "lit"
) -> NDArray[np.float32]:
    """Scores pictures against texts with the LiT-like model.

    Args:
        pictures: n pictures.
        texts: k texts.
        folder: The model's folder.

    Returns:
        (n, k) cosines times the learned scale.
    """
    import torch
    from transformers import AutoImageProcessor, AutoTokenizer, VisionTextDualEncoderModel

    model: Any = VisionTextDualEncoderModel.from_pretrained(folder, dtype=torch.float32)
    model.eval()
    opener: Any = AutoImageProcessor
    sight = opener.from_pretrained(folder)
    reader: Any = AutoTokenizer
    text = reader.from_pretrained(folder)(texts, padding=True, truncation=True, return_tensors="pt")
    parts = []
    with torch.inference_mode():
        for start in range(0, len(pictures), 64):
            pixels = sight(pictures[start : start + 64], return_tensors="pt")["pixel_values"]
            out = model(
                pixel_values=pixels,
                input_ids=text["input_ids"],
                attention_mask=text["attention_mask"],
            )
            parts.append(out.logits_per_image)
    scores: NDArray[np.float32] = torch.cat(parts).numpy()
    return scores


class Answerer:
    """A shipped VLM: a picture and a question in, a completion out."""

    def __init__(self, folder: Path = MODELS / "fastvlm") -> None:
        """Loads model and processor.

        Args:
            folder: The model's folder.
        """
        import torch
        from transformers import AutoModelForImageTextToText, AutoProcessor

        loader: Any = AutoModelForImageTextToText
        self._model = loader.from_pretrained(folder, dtype=torch.float32)
        self._model.eval()
        reader: Any = AutoProcessor
        self._processor = reader.from_pretrained(folder)

    def answer(self, pictures: list[Image.Image], questions: list[str]) -> list[str]:
        """Answers one question on each picture, greedily.

        Args:
            pictures: n pictures.
            questions: n questions.

        Returns:
            n completions, word for word.
        """
        import torch

        completions: list[str] = []
        for start in range(0, len(pictures), 64):
            pairs = zip(pictures[start : start + 64], questions[start : start + 64], strict=True)
            chats = [
                [
                    {
                        "role": "user",
                        "content": [
                            {"type": "image", "image": picture},
                            {"type": "text", "text": question},
                        ],
                    }
                ]
                for picture, question in pairs
            ]
            batch = self._processor.apply_chat_template(
                chats,
                add_generation_prompt=True,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
                processor_kwargs={"padding": True},
            )
            with torch.inference_mode():
                tokens = self._model.generate(**batch, do_sample=False, max_new_tokens=4)
            new = tokens[:, batch["input_ids"].shape[1] :]
            completions += self._processor.batch_decode(new, skip_special_tokens=True)
        return completions
