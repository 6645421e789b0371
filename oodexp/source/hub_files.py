"""The Parquet files of a Hugging Face data set: in a folder, or in the hub's local cache."""

from __future__ import annotations

from pathlib import Path

from oodexp.error import OodexpError


def locate(data: str, revision: str | None, download: bool) -> Path:
    """The folder of a data set.

    Args:
        data: A folder, or the id of a data set of the hub (`owner/name`).
        revision: Branch, tag or commit of the hub; None for its main branch.
        download: Whether to fetch what is not in the local cache.

    Raises:
        OodexpError: If there is no such folder, or the hub's files are not here and cannot or may
            not be fetched.
    """
    folder = Path(data).expanduser()
    if folder.is_dir():
        return folder
    if data.startswith(("/", ".", "~")) or data.count("/") != 1:
        raise OodexpError(
            f"source data={data}: no such folder; expected a folder of Parquet files, or a hub id "
            "of the form owner/name"
        )
    try:
        return _snapshot(data, revision, cached=True)
    except Exception as error:  # the hub's errors have no common ancestor of their own
        if not download:
            raise OodexpError(
                f"source data={data}: no such folder, and not in the local cache of the hub; fetch "
                f"it with `hf download --repo-type dataset {data} --include '*.parquet'`, or set "
                "source.hub.download=true"
            ) from error
    try:
        return _snapshot(data, revision, cached=False)
    except Exception as error:
        raise OodexpError(
            f"source data={data}: cannot be downloaded ({type(error).__name__}: {error}); download "
            "it where there is a network and give the folder with source.hub.data=FOLDER"
        ) from error


def _snapshot(data: str, revision: str | None, cached: bool) -> Path:
    from huggingface_hub import snapshot_download

    return Path(
        snapshot_download(
            data, repo_type="dataset", revision=revision, allow_patterns=["*.parquet"],
            local_files_only=cached,
        )
    )  # fmt: skip


def parquet_files(folder: Path, split: str | None) -> list[Path]:
    """The Parquet files of a split, in order of their path.

    A file is of a split when its name is `SPLIT.parquet` or starts with `SPLIT-`, or when a folder
    above it has the split's name: the hub's own layouts.

    Args:
        folder: The data set.
        split: Name of the split; None for all files.

    Raises:
        OodexpError: If there are none; names those of other splits.
    """
    files = sorted(f for f in folder.rglob("*.parquet") if f.is_file())
    mine = [f for f in files if split is None or _is_of(f.relative_to(folder), split)]
    if not mine:
        there = ", ".join(str(f.relative_to(folder)) for f in files[:8]) or "none"
        wanted = "*.parquet" if split is None else f"{split}-*.parquet or {split}/*.parquet"
        raise OodexpError(f"source data={folder}: expected {wanted}; Parquet files there: {there}")
    return mine


def _is_of(file: Path, split: str) -> bool:
    return file.stem == split or file.name.startswith(f"{split}-") or split in file.parts[:-1]
