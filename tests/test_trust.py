"""Nothing that a stranger's file brings is run: no source could, and files that try are refused."""

from __future__ import annotations

import ast
import json
import pickle
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from oodexp import shipped, weights
from oodexp.error import OodexpError
from oodexp.scorer.open_clip import OpenClip
from oodexp.timm_weights import HUB, weight_file
from oodexp.transformers_folder import image_processor
from oodexp.trust import refuse_programs
from oodexp.vlm.transformers_chat import TransformersChat

PACKAGE = Path(shipped.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))

NEVER = {
    "exec", "compile", "__import__", "marshal", "shelve", "pickle", "cPickle", "dill", "joblib",
    "cloudpickle", "jsonpickle", "os.system", "os.popen", "pandas.read_pickle", "pd.read_pickle",
    "yaml.load", "yaml.unsafe_load", "yaml.full_load", "yaml.load_all", "torch.hub.load",
    "torch.jit.load", "torch.package", "tarfile", "shutil.unpack_archive",
}  # fmt: skip
"""What runs a program of whoever wrote its input, or writes files where they say."""

STARTED = {"search/helper.py", "tracker/process.py", "tracker/provenance.py"}
"""Files that start a program: this one again, `ps`, `git`; none by a shell."""

TYPES = "setting.py"
"""Evaluates annotations of classes that are imported already."""


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Dotted name of what is called, and the call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def keyword(call: ast.Call, name: str) -> Any:
    found = [k.value for k in call.keywords if k.arg == name]
    return ast.unparse(found[0]) if found else None


def below() -> Iterator[tuple[str, ast.AST]]:
    for file in SOURCES:
        yield file.relative_to(PACKAGE).as_posix(), ast.parse(file.read_text("utf-8"))


def faults(tree: ast.AST, name: str) -> Iterator[str]:
    """What of a file could run a program of somebody else."""
    yield from imports(tree, name)
    for called, call in calls(tree):
        if called in NEVER or (called == "eval" and name != TYPES):
            yield f"calls {called}"
        yield from wrong_arguments(called, call, name)


def imports(tree: ast.AST, name: str) -> Iterator[str]:
    imported = {
        alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names
    } | {str(n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    yield from (f"imports {word}" for word in imported & NEVER)
    if "subprocess" in imported and name not in STARTED:
        yield "starts a program"


def wrong_arguments(called: str, call: ast.Call, name: str) -> Iterator[str]:
    loads = called in ("torch.load", "open_clip.create_model")
    if loads and keyword(call, "weights_only") != "True":
        yield f"{called} without weights_only=True"
    for word in ("shell", "allow_pickle"):
        if keyword(call, word) is not None:
            yield f"{called} with {word}"
    if called.endswith(".from_pretrained") and not name.startswith("miniature/"):
        trust = keyword(call, "trust_remote_code")
        if trust != ("trust" if name.startswith("vlm/") else "False"):
            yield f"{called} with trust_remote_code={trust}"


def test_no_source_can_run_what_a_file_brings():
    found = {name: list(faults(tree, name)) for name, tree in below()}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "line",
    ["import pickle", "from joblib import load", "eval(x)", "torch.load(f)", "yaml.load(x)",
     "torch.load(f, weights_only=False)", "np.load(f, allow_pickle=True)", "import subprocess",
     "subprocess.run(x, shell=True)", "AutoModel.from_pretrained(f)", "os.system(x)",
     "A.from_pretrained(f, trust_remote_code=True)", "open_clip.create_model(n)"],
)  # fmt: skip
def test_the_scan_sees(line):
    assert list(faults(ast.parse(line), "some.py"))


def test_code_of_a_checkpoint_is_off_but_for_two_parts_that_say_so():
    told = {
        file.stem: line
        for file in (PACKAGE.parent / "conf").rglob("*.yaml")
        for line in file.read_text("utf-8").splitlines()
        if "trust_remote_code: true" in line
    }
    assert set(told) == {"internvl2", "internvl2_5"}
    assert all("# its configuration and tokenizer are code" in line for line in told.values())


class Evil:
    """Makes a file when it is opened."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[Path]:
    """The file that a program in a checkpoint would make."""
    file = tmp_path / "owned"
    yield file
    assert not file.exists()


def plain(folder: Path, mark: Path) -> Path:
    torch.save({"a": torch.zeros(2), "b": Evil(mark)}, folder / "w.pt")
    return folder / "w.pt"


def older(folder: Path, mark: Path) -> Path:
    file = folder / "w.bin"
    torch.save({"b": Evil(mark)}, file, _use_new_zipfile_serialization=False)
    return file


def bare(folder: Path, mark: Path) -> Path:
    (folder / "w.pth").write_bytes(pickle.dumps({"a": Evil(mark)}))
    return folder / "w.pth"


def disguised(folder: Path, mark: Path) -> Path:
    """An archive that looks like TorchScript to whoever looks at the names alone."""
    file = plain(folder, mark)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("w/sub/constants.pkl", b"")
    return file


def arrays(folder: Path, mark: Path) -> Path:
    np.savez(folder / "w.npz", a=np.zeros(2), b=np.array([Evil(mark)], dtype=object))
    return folder / "w.npz"


def garbage(folder: Path, mark: Path) -> Path:
    (folder / "w.bin").write_bytes(b"\x80\x02 no pickle")
    return folder / "w.bin"


def empty(folder: Path, mark: Path) -> Path:
    (folder / "w.pt").write_bytes(b"")
    return folder / "w.pt"


BAD = [plain, older, bare, disguised, arrays, garbage, empty]


@pytest.mark.parametrize("made", BAD)
def test_weights_that_hold_a_program_are_refused_and_it_is_not_run(tmp_path, mark, made):
    file = made(tmp_path, mark)
    with pytest.raises(OodexpError, match=rf"{file.name}: "):
        refuse_programs([file])
    with pytest.raises(OodexpError, match=rf"{file.name}: "):
        weights.weight_files(tmp_path)
    with pytest.raises(OodexpError, match=rf"{file.name}: "):
        weight_file("resnet18", str(file), {})


@pytest.mark.parametrize("made", [plain, older, bare, disguised, garbage])
def test_no_loader_runs_it_either(tmp_path, mark, made, monkeypatch):
    """The loaders themselves, should the look through the file miss something."""
    monkeypatch.setattr("oodexp.trust._wrong", lambda *_: None)
    file = made(tmp_path, mark)
    scorer = OpenClip("RN50", str(file), activation="gelu")
    monkeypatch.setattr("oodexp.scorer.open_clip.find", lambda *_: None)
    with pytest.raises(Exception, match=r"(?i)weights_only|unpickl|invalid|archive|pickle"):
        scorer.load("cpu")


def test_tensors_are_taken_in_every_form(tmp_path):
    state = {"a": torch.zeros(2)}
    torch.save(state, tmp_path / "w.pt")
    torch.save(state, tmp_path / "w.bin", _use_new_zipfile_serialization=False)
    np.savez(tmp_path / "w.npz", a=np.zeros(2))
    save_file(state, tmp_path / "w.safetensors")
    refuse_programs(sorted(tmp_path.iterdir()))
    assert [f.name for f in weights.weight_files(tmp_path)] == ["w.safetensors"]


@pytest.mark.parametrize("name", ["../out.safetensors", "/etc/passwd", 5, "a/b.safetensors"])
def test_an_index_names_no_file_elsewhere(tmp_path, name):
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": name}}))
    with pytest.raises(OodexpError, match="is no name of a file beside it"):
        weights.weight_files(tmp_path)


def with_code(folder: Path, mark: Path) -> Path:
    """A checkpoint whose configuration asks for code beside it."""
    copy = folder / "model"
    shutil.copytree(PACKAGE / "miniature/models/fastvlm", copy)
    code = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n"
    (copy / "mine.py").write_text(code + "class Mine:\n    pass\n")
    kinds = ("AutoConfig", "AutoModelForImageTextToText", "AutoProcessor", "AutoImageProcessor")
    told = ", ".join(f'"{kind}": "mine.Mine"' for kind in kinds)
    for name in ("config.json", "processor_config.json", "tokenizer_config.json"):
        text = (copy / name).read_text("utf-8").rstrip().removesuffix("}")
        (copy / name).write_text(f'{text}, "auto_map": {{{told}}}}}')
    config = (copy / "config.json").read_text("utf-8")
    (copy / "config.json").write_text(config.replace('"model_type": "', '"model_type": "my_', 1))
    return copy


def test_code_of_a_checkpoint_is_not_run_unless_asked_for(tmp_path, mark):
    folder = with_code(tmp_path, mark)
    with pytest.raises(OodexpError, match="code of its own, which is not run"):
        TransformersChat(str(folder)).load("cpu")
    image_processor(folder)


def test_every_shipped_file_is_the_pinned_one():
    found = {
        file.relative_to(shipped.HOME).as_posix(): weights.digests([file])[file.name]
        for folder in shipped.FOLDERS
        for file in (shipped.HOME / folder).rglob("*")
        if file.is_file()
    }
    assert found == shipped.pins()
    assert sum(name.endswith(".safetensors") for name in found) == 9


@pytest.mark.parametrize("change", ["flip", "more", "less"])
def test_a_shipped_model_that_was_changed_is_not_loaded(tmp_path, monkeypatch, change):
    home = tmp_path.resolve() / "miniature"
    shutil.copytree(shipped.HOME, home, ignore=lambda *_: ["__pycache__"])
    folder = home / "models/lit"
    shipped.check_shipped(folder, home)
    file = folder / "model.safetensors"
    if change == "flip":
        state = load_file(file)
        next(iter(state.values())).view(-1)[0] += 1
        save_file(state, file)
    elif change == "more":
        (folder / "mine.py").write_text("")
    else:
        (folder / "config.json").unlink()
    with pytest.raises(OodexpError, match="is not the file that ships with this version"):
        shipped.check_shipped(folder, home)
    monkeypatch.setattr("oodexp.weights.check_shipped", lambda f: shipped.check_shipped(f, home))
    with pytest.raises(OodexpError, match="is not the file that ships with this version"):
        weights.weight_files(folder)


def test_the_name_of_the_hub_is_no_file():
    assert HUB == "hub"
