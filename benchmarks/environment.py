"""clip_benchmark in an environment of its own, on the same torch and open_clip as ours."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

PACKAGE = "clip-benchmark==1.6.2"
_NEEDS = "import clip_benchmark.metrics.zeroshot_classification"


def clip_benchmark(home: Path) -> str | None:
    """Its interpreter; None where the package cannot be had.

    The environment sees the libraries of this one, so both sides run the same versions; the package
    and nothing else is installed into it, and into it alone.

    Args:
        home: Where the environment is kept from one benchmark to the next.
    """
    python = home / "bin/python"
    try:
        if not python.exists():
            _quiet([sys.executable, "-m", "venv", str(home)])
        purelib = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
        ours = home / purelib / "same-libraries.pth"
        ours.write_text(sysconfig.get_path("purelib") + "\n")
        if not _works(python):
            install = ["-m", "pip", "install", "--quiet", "--no-deps", PACKAGE]
            _quiet([str(python), *install])
    except (OSError, subprocess.SubprocessError):
        return None
    return str(python) if _works(python) else None


def _works(python: Path) -> bool:
    return subprocess.run([str(python), "-c", _NEEDS], capture_output=True).returncode == 0


def _quiet(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=600)
