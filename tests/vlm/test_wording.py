"""What stands around a question: chat template, system message, plain prompt, processor."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from omegaconf import OmegaConf
from PIL import Image

from oodexp.error import OodexpError
from oodexp.vlm.transformers_chat import TransformersChat

PROMPTS = ["Yes or no?", "Does this image contain a very long traffic light? (yes or no)", "Hm"]


@pytest.fixture(scope="module")
def greedy(llava_folder: Path) -> TransformersChat:
    vlm = TransformersChat(str(llava_folder), max_new_tokens=12)
    vlm.load("cpu")
    return vlm


def test_a_system_message_comes_first(llava_folder: Path) -> None:
    vlm = TransformersChat(str(llava_folder), system="Be brief.")
    vlm.load("cpu")
    (text,) = vlm._wording.texts(["Hm"])
    assert text == "system: Be brief.\nuser: <image>Hm\nassistant: "


def test_a_processor_without_a_chat_template_is_refused(llava_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(llava_folder, copy)
    (copy / "chat_template.jinja").unlink()
    with pytest.raises(OodexpError, match="no chat template"):
        TransformersChat(str(copy)).load("cpu")


def test_a_plain_prompt_takes_the_place_of_a_chat_template(
    greedy: TransformersChat, llava_folder: Path, tmp_path: Path, images: list[Image.Image]
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(llava_folder, copy)
    (copy / "chat_template.jinja").unlink()
    plain = "user: <image>{}\nassistant: "
    vlm = TransformersChat(str(copy), max_new_tokens=12, prompt=plain)
    vlm.load("cpu")
    asked = [images[0]] * 3, PROMPTS
    assert vlm.complete(*asked) == greedy.complete(*asked)


def test_arguments_of_the_processor_reach_it(llava_folder: Path, images: list[Image.Image]) -> None:
    given = OmegaConf.create({"image_mean": [0.1, 0.2, 0.3], "do_center_crop": False})
    vlm, plain = (
        TransformersChat(str(llava_folder), processor=given),
        TransformersChat(str(llava_folder)),
    )
    for one in (vlm, plain):
        one.load("cpu")
    mine, usual = (
        one._wording.batch(images[:1], one._wording.texts(["Hm"]))["pixel_values"][0, :, 0, 0]
        for one in (vlm, plain)
    )
    spread = torch.tensor(plain._wording.processor.image_processor.image_std)
    mean = torch.tensor(plain._wording.processor.image_processor.image_mean)
    expected = (usual * spread + mean - torch.tensor([0.1, 0.2, 0.3])) / spread
    assert torch.allclose(mine, expected, atol=1e-5)
    assert json.dumps(vlm.fingerprint()["processor"]) == json.dumps(OmegaConf.to_container(given))
