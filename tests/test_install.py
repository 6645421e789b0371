"""oodexp as a built wheel: configuration, miniature and command line are in it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
         "--disable-pip-version-check", "--wheel-dir", str(folder), str(ROOT)],
        check=True, cwd=folder,
    )  # fmt: skip
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_holds_configuration_experiments_and_miniature(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "oodexp/conf/__init__.py", "oodexp/conf/config.yaml", "oodexp/conf/experiment/main.yaml",
        "oodexp/conf/scorer/clip_l14_336.yaml", "oodexp/miniature/data/test.zip",
        "oodexp/miniature/data/test.json.gz", "oodexp/miniature/SHA256SUMS",
        "oodexp/miniature/models/open_clip/open_clip_model.safetensors",
        "oodexp/miniature/models/fastvlm/chat_template.jinja",
        "oodexp/report/static/page.html.j2", "oodexp/report/static/page.css",
        "oodexp/review/static/page.html", "oodexp/review/static/review.js",
    } <= names  # fmt: skip


def test_installed_wheel_composes_from_any_directory(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps",
         "--disable-pip-version-check", "--target", str(site), str(wheel)],
        check=True, cwd=tmp_path,
    )  # fmt: skip
    program = (
        "import sys; import oodexp; assert oodexp.__file__.startswith(sys.argv.pop(1)); "
        "from oodexp.run import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(site), "--cfg", "job", "experiment=main"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "open_clip_miniature" in done.stdout
