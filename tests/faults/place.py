"""Where a run that is hit keeps its files: a small file system, if one may be mounted."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

ROOM = 256 << 20
"""Bytes of the file system while its disk is not full."""
PAGE = 4096


class Place:
    """A runs folder that can be emptied, filled up, and forbidden.

    Args:
        root: The runs folder is `root/runs`; outputs lie beside it.
    """

    def __init__(self, root: Path) -> None:
        self.runs = root / "runs"
        self.runs.mkdir(parents=True)
        call = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "oodexp-faults", str(self.runs)]
        with suppress(FileNotFoundError):
            subprocess.run(call, capture_output=True, check=False)
        self.mounted = os.path.ismount(self.runs)
        """Whether it is a file system of its own, whose size can be changed."""

    def close(self) -> None:
        """Unmounts it."""
        if self.mounted:
            subprocess.run(["umount", "--lazy", str(self.runs)], check=False)

    def clear(self, template: Path | None = None) -> None:
        """Empties the folder, and puts what a template holds into it."""
        self.allow()
        if self.mounted:
            self._resize(ROOM)
        for path in self.runs.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if template is not None:
            shutil.copytree(template, self.runs, dirs_exist_ok=True)

    def fill_up(self, pages: int) -> None:
        """Leaves room for so many pages of 4 KiB only."""
        for more in range(pages, pages + 1000, 10):
            found = os.statvfs(self.runs)
            with suppress(subprocess.CalledProcessError):  # the run has written more meanwhile
                return self._resize((found.f_blocks - found.f_bfree + more) * found.f_frsize)
        raise RuntimeError("the run writes faster than its disk can be made smaller")

    def make_room(self) -> None:
        """Gives the disk its room back."""
        self._resize(ROOM)

    def forbid(self) -> None:
        """Lets nobody make, rename or remove a file, and nobody open one for writing."""
        for folder, _, files in os.walk(self.runs):
            for name in files:
                with suppress(FileNotFoundError):
                    Path(folder, name).chmod(0o444)
            Path(folder).chmod(0o555)

    def allow(self, user: int | None = None) -> None:
        """Takes that back, and gives everything to a user."""
        for folder, _, files in os.walk(self.runs):
            for path in (Path(folder), *(Path(folder, name) for name in files)):
                path.chmod(0o755 if path.is_dir() else 0o644)
                if user is not None:
                    os.chown(path, user, user)

    def _resize(self, size: int) -> None:
        call = ["mount", "-o", f"remount,size={size}", str(self.runs)]
        subprocess.run(call, check=True, capture_output=True)
