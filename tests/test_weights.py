"""Where models are found, and what is hashed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from oodexp.error import OodexpError
from oodexp.weights import digests, folder_digests, locate, lone_weight_file, weight_files


def test_a_digest_is_the_sha256_of_the_bytes(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"abc")
    assert digests([file]) == {"model.safetensors": hashlib.sha256(b"abc").hexdigest()}


def test_a_changed_file_has_a_new_digest(tmp_path: Path) -> None:
    file = tmp_path / "model.bin"
    file.write_bytes(b"abc")
    before = digests([file])
    file.write_bytes(b"abcd")
    assert digests([file]) != before


def test_safe_files_hide_pickled_ones(tmp_path: Path) -> None:
    for name in ("pytorch_model.bin", "model.safetensors"):
        (tmp_path / name).write_bytes(b"x")
    assert [f.name for f in weight_files(tmp_path)] == ["model.safetensors"]


def test_all_shards_of_an_index_are_named(tmp_path: Path) -> None:
    shards = {"a": "model-1.safetensors", "b": "model-2.safetensors"}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shards}))
    (tmp_path / "model-1.safetensors").write_bytes(b"x")
    with pytest.raises(OodexpError, match=r"model-2\.safetensors.*missing"):
        weight_files(tmp_path)
    (tmp_path / "model-2.safetensors").write_bytes(b"x")
    assert [f.name for f in weight_files(tmp_path)] == sorted(shards.values())


def test_a_folder_without_weights_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OodexpError, match="no weight file"):
        weight_files(tmp_path)


def test_one_of_several_weight_files_must_be_named(tmp_path: Path) -> None:
    for name in ("a.safetensors", "b.safetensors"):
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(OodexpError, match="several weight files"):
        lone_weight_file(tmp_path)
    assert lone_weight_file(tmp_path / "a.safetensors").name == "a.safetensors"


def test_configuration_and_tokenizer_are_hashed_and_pictures_are_not(tmp_path: Path) -> None:
    for name in ("model.safetensors", "config.json", "vocab.txt", "chat_template.jinja", "a.png"):
        (tmp_path / name).write_bytes(b"x")
    found = folder_digests(tmp_path)
    assert list(found["weights"]) == ["model.safetensors"]
    assert list(found["files"]) == ["chat_template.jinja", "config.json", "vocab.txt"]


def test_a_folder_is_found_as_it_is(tmp_path: Path) -> None:
    assert locate(str(tmp_path)) == tmp_path.resolve()


def test_a_file_inside_a_package_is_found() -> None:
    assert locate("package:oodexp/weights.py").name == "weights.py"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("/no/such/folder", "no such folder"),
        ("no-such-folder", "no such folder"),
        ("package:no_such_package/x", "pip install no_such_package"),
        ("package:oodexp/no_such_file", "has no 'no_such_file'"),
    ],
)
def test_what_is_not_there_is_named(name: str, message: str) -> None:
    with pytest.raises(OodexpError, match=message):
        locate(name)


def test_a_hub_model_out_of_reach_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(OodexpError, match=r"'oodexp/no-such-model'.*where there is network"):
        locate("oodexp/no-such-model")


def test_a_whole_model_in_the_hubs_cache_is_used_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    (tmp_path / "model.safetensors").write_bytes(b"x")

    def snapshot(name: str, local_files_only: bool = False, **_: object) -> str:
        assert local_files_only
        assert name == "org/name"
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    assert locate("org/name") == tmp_path


@pytest.mark.parametrize("model", ["no/such folder", "~no/where", "./a/b", "a/b/c", "a", "a/"])
def test_what_cannot_be_a_hub_id_is_not_looked_for_there(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OodexpError, match="no such folder or file"):
        locate(model)
