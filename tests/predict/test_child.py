"""What goes wrong in another process of a loop."""

from __future__ import annotations

import os
import traceback

import pytest

from oodexp.error import OodexpError
from oodexp.predict.child import mistake
from oodexp.predict.content import scan
from oodexp.predict.loop import Loop
from oodexp.predict.scoring import score
from tests.world import CATEGORIES, Colour


def printed(make) -> str:
    try:
        make()
    except Exception:
        return "-- Process 1 terminated with the following error:\n" + traceback.format_exc()
    raise AssertionError


def refuse():
    raise OodexpError("scorer x: not this.\n  That: do that.\n\nAnd then again")


def wrap():
    try:
        refuse()
    except OodexpError as error:
        raise RuntimeError("wrapped") from error


def slip():
    try:
        refuse()
    except OodexpError:
        raise KeyError("while cleaning up")  # noqa: B904


def other():
    raise ValueError("no mistake of the user's: oodexp.error.OodexpError: quoted")


@pytest.mark.parametrize("make", [refuse, wrap, slip])
def test_the_message_is_found_whole_in_a_printed_traceback(make):
    text = printed(make)
    assert mistake(text) == "scorer x: not this.\n  That: do that.\n\nAnd then again"


def test_another_error_is_none_of_ours():
    assert mistake(printed(other)) is None


def test_a_mistake_met_while_decoding_elsewhere_comes_without_a_traceback(world, store):
    images = scan(world.images(), world.read).images

    def read(image_id: str) -> bytes:
        raise OodexpError(f"source world: {image_id} is locked;\nunlock it")

    workers = Loop("cpu", scoring_batch=2, workers=1, progress=False)
    with pytest.raises(OodexpError) as caught:
        score(images, CATEGORIES, read, {"colour": Colour()}, store, workers)
    assert str(caught.value) == "source world: 0 is locked;\nunlock it"


def test_images_are_decoded_in_another_process_if_there_are_workers(world, store):
    images = scan(world.images(), world.read).images

    def read(image_id: str) -> bytes:
        raise OSError(5, str(os.getpid()))

    for workers in (0, 1):
        loop = Loop("cpu", scoring_batch=2, workers=workers, progress=False)
        reasons = score(images, CATEGORIES, read, {"colour": Colour()}, store, loop).reasons
        elsewhere = {r != f"file not read: {os.getpid()}" for r in reasons.values()}
        assert elsewhere == {workers > 0}
