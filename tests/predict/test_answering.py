"""A VLM over questions, through the real loop."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from oodexp import table
from oodexp.error import OodexpError
from oodexp.pixel import decode
from oodexp.predict.answering import answer
from oodexp.predict.content import scan
from oodexp.predict.loop import Loop
from oodexp.record import Question
from oodexp.vlm.base import Reply
from oodexp.vlm.scripted import Scripted
from tests.world import SCENES


class Watched(Scripted):
    """A scripted VLM that remembers what it was shown."""

    def __init__(self, replies="Yes") -> None:
        super().__init__(replies)
        self.seen: list[tuple[np.ndarray, str]] = []
        self.batches: list[int] = []

    def complete(self, images, prompts, max_tokens=None):
        self.batches.append(len(prompts))
        self.seen += [(np.asarray(i), p) for i, p in zip(images, prompts, strict=True)]
        return super().complete(images, prompts)


def questions(*asked: tuple[str, str]):
    rows = [
        Question(f"{image}/{prompt}/{n}", "world", image, "apple", "existence", "present", prompt,
                 "yes")
        for n, (image, prompt) in enumerate(asked)
    ]  # fmt: skip
    return table.frame(Question, rows)


ASKED = [(str(i), prompt) for i in range(len(SCENES)) for prompt in ("apple?", "leaf?")]


def ask(source, vlm, asked, store, loop, name="vlm"):
    images = scan(source.images(), source.read).images
    return answer(name, vlm, questions(*asked), images, source.read, store, loop)


def test_every_question_has_its_completion_word_for_word_and_in_order(world, store, loop):
    text = '  Yes, \n…an "apple"{}\t'
    found = ask(world, Watched({"apple": text, "leaf": "No"}), ASKED, store, loop).completions
    assert found["question_id"].tolist() == questions(*ASKED)["question_id"].tolist()
    assert found["completion"].tolist() == [text, "No"] * len(SCENES)
    assert set(found["status"]) == {"ok"}
    assert set(found["vlm"]) == {"vlm"}
    assert (found["seconds"] >= 0).all()


def test_each_prompt_is_put_with_the_pixels_of_its_own_image(world, store, loop):
    vlm = Watched()
    ask(world, vlm, ASKED, store, loop)
    assert vlm.batches == [3, 3, 3, 3]
    for (image, prompt), (pixels, put) in zip(ASKED, vlm.seen, strict=True):
        assert put == prompt
        np.testing.assert_array_equal(pixels, np.asarray(decode(world.read(image))))


def test_an_image_is_read_once_a_batch(world, store, loop):
    images, read = scan(world.images(), world.read).images, []
    answer(
        "vlm", Watched(), questions(*((("0", f"{n}?")) for n in range(6))), images,
        lambda i: read.append(i) or world.read(i), store, loop,
    )  # fmt: skip
    assert read == ["0", "0"]


def test_the_second_time_nothing_is_asked_and_nothing_loaded(world, store, loop):
    first = ask(world, Watched(), ASKED, store, loop)

    class Asleep(Watched):
        def load(self, device):
            raise AssertionError("loaded")

    second = ask(world, Asleep(), ASKED, store, loop)
    assert (first.asked_questions, second.asked_questions) == (len(ASKED), 0)
    assert first.completions.equals(second.completions)


def test_another_prompt_asks_only_that(world, store, loop):
    ask(world, Watched(), ASKED, store, loop)
    vlm = Watched()
    found = ask(world, vlm, [*ASKED, ("2", "lake?")], store, loop)
    assert found.asked_questions == 1
    assert [put for _, put in vlm.seen] == ["lake?"]
    assert len(found.completions) == len(ASKED) + 1


def test_another_setting_of_the_vlm_asks_everything(world, store, loop):
    ask(world, Watched("Yes"), ASKED, store, loop)
    found = ask(world, Watched("yes"), ASKED, store, loop)
    assert found.asked_questions == len(ASKED)
    assert set(found.completions["completion"]) == {"yes"}


def test_the_name_of_a_vlm_is_no_part_of_what_it_says(world, store, loop):
    ask(world, Watched(), ASKED, store, loop, name="a")
    found = ask(world, Watched(), ASKED, store, loop, name="b")
    assert found.asked_questions == 0
    assert set(found.completions["vlm"]) == {"b"}


def test_the_same_bytes_and_prompt_are_asked_once(world, store, loop, tmp_path):
    shutil.copyfile(tmp_path / "world/images/one.png", tmp_path / "world/images/empty.png")
    vlm = Watched()
    found = ask(world, vlm, [("0", "apple?"), ("5", "apple?"), ("0", "apple?")], store, loop)
    assert found.asked_questions == len(vlm.seen) == 1
    assert found.completions["completion"].tolist() == ["Yes"] * 3


def test_an_error_is_asked_anew_and_its_neighbours_are_not(world, store, loop):
    class Flaky(Watched):
        failing = True

        def fingerprint(self):
            return {"kind": "flaky"}

        def complete(self, images, prompts, max_tokens=None):
            replies = super().complete(images, prompts)
            if not self.failing:
                return replies
            failure = Reply(None, "error", "timeout", None)
            return [failure if p == "leaf?" else r for p, r in zip(prompts, replies, strict=True)]

    first = ask(world, Flaky(), ASKED, store, loop).completions
    assert first["status"].tolist() == ["ok", "error"] * len(SCENES)
    assert first["completion"].isna().tolist() == [False, True] * len(SCENES)
    assert set(first["reason"].dropna()) == {"timeout"}
    vlm = Flaky()
    vlm.failing = False
    second = ask(world, vlm, ASKED, store, loop)
    assert second.asked_questions == len(SCENES)
    assert {put for _, put in vlm.seen} == {"leaf?"}
    assert set(second.completions["status"]) == {"ok"}
    assert second.completions["reason"].isna().all()


def test_a_cut_off_completion_is_kept_and_not_asked_anew(world, store, loop):
    told = {"": {"text": "Well, the", "status": "truncated", "tokens": 3}}
    first = ask(world, Watched(told), ASKED, store, loop).completions
    assert set(first["status"]) == {"truncated"}
    assert set(first["tokens"]) == {3}
    assert ask(world, Watched(told), ASKED, store, loop).asked_questions == 0


def test_an_empty_completion_is_a_completion(world, store, loop):
    found = ask(world, Watched(""), ASKED[:2], store, loop).completions
    assert found["completion"].tolist() == ["", ""]
    assert ask(world, Watched(""), ASKED[:2], store, loop).asked_questions == 0


def test_an_unreadable_image_gives_rows_with_a_reason_and_the_others_are_asked(
    world, store, loop, tmp_path
):
    data = (tmp_path / "world/images/one.png").read_bytes()
    (tmp_path / "world/images/two.png").write_bytes(data[:-40])  # its header is whole
    (tmp_path / "world/images/three.png").unlink()
    (tmp_path / "world/images/empty.png").write_bytes(b"")
    vlm = Watched()
    found = ask(world, vlm, ASKED, store, loop).completions.set_index("question_id")
    reasons = {}
    for name, row in found.iterrows():
        if row["status"] == "error":
            reasons.setdefault(name[0], set()).add(row["reason"])
    assert set(reasons) == {"1", "2", "5"}
    assert {r.partition(":")[0] for r in reasons["1"]} == {"unreadable"}
    assert reasons["2"] == {"file not read: No such file or directory"}
    assert reasons["5"] == {"unreadable: empty file"}
    assert len(vlm.seen) == 2 * (len(SCENES) - 3)


def test_a_batch_of_unreadable_images_only_is_never_put_to_the_model(world, store, loop, tmp_path):
    (tmp_path / "world/images/one.png").write_bytes(b"")
    vlm = Watched()
    found = ask(world, vlm, [("0", "a?"), ("0", "b?")], store, loop).completions
    assert set(found["status"]) == {"error"}
    assert vlm.batches == []


@pytest.mark.parametrize("count", [0, 2, 4])
def test_a_vlm_with_too_few_or_too_many_replies_is_named(world, store, loop, count):
    class Faulty(Watched):
        def complete(self, images, prompts, max_tokens=None):
            return [Reply("Yes", "ok", None, 1)] * count

    with pytest.raises(OodexpError, match=f"vlm vlm: {count} replies to 3 questions"):
        ask(world, Faulty(), ASKED, store, loop)


def test_a_killed_run_goes_on_where_it_was(world, store, loop):
    class Killed(Watched):
        def complete(self, images, prompts, max_tokens=None):
            if len(self.batches) == 2:
                raise RuntimeError("out of memory")
            return super().complete(images, prompts)

    with pytest.raises(RuntimeError, match="out of memory"):
        ask(world, Killed(), ASKED, store, loop)
    found = ask(world, Watched(), ASKED, store, loop)
    assert found.asked_questions == len(ASKED) - 6
    assert set(found.completions["completion"]) == {"Yes"}


def test_nothing_to_ask_gives_an_empty_table(world, store, loop):
    found = ask(world, Watched(), [], store, loop)
    assert len(found.completions) == found.asked_questions == 0


@pytest.mark.slow
@pytest.mark.parametrize("asked", [ASKED, ASKED[:1]])
def test_two_processes_give_the_completions_of_one(world, store, loop, tmp_path, asked):
    from oodexp.predict.store import Store

    one = ask(world, Scripted({"apple": "Yes", "leaf": "No"}), asked, store, loop)
    pair = Loop("cpu", devices=2, answering_batch=3, progress=False)
    other = Store(str(tmp_path / "other"))
    two = ask(world, Scripted({"apple": "Yes", "leaf": "No"}), asked, other, pair)
    columns = ["question_id", "completion", "status"]
    assert two.completions[columns].equals(one.completions[columns])
    assert two.asked_questions == len(asked)
