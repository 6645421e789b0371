"""Addresses of stores and files."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlparse

_PASSWORD = re.compile(r"""(://[^:/@\s"']*:)[^@/\s"']+@""")


def blot(text: str) -> str:
    """The text without the passwords of the addresses in it."""
    return _PASSWORD.sub(r"\1***@", text)


def is_server(uri: str) -> bool:
    """Whether runs go to a server, which then decides where their files are kept."""
    return uri.startswith(("http:", "https:", "databricks"))


def local_path(uri: str) -> str | None:
    """The path of a file address or plain path; None for another machine's."""
    parts = urlparse(uri)
    if parts.scheme == "file":
        return unquote(parts.path)
    return uri if parts.scheme == "" else None


def place(uri: str, experiment_id: str, run_id: str, files: str) -> str:
    """Where a person opens a run: its page on a server, else the folder or address of its files."""
    if is_server(uri):
        return f"{uri.rstrip('/')}/#/experiments/{experiment_id}/runs/{run_id}"
    return local_path(files) or files
