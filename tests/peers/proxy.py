"""Stands before a server and loses replies: what was asked is done, and nobody hears of it."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ID = re.compile(r"[0-9a-f]{32}")
HOP = ("connection", "transfer-encoding", "content-length", "date", "server")
"""Headers of one connection, which the one behind has anew."""


class Losing:
    """Requests by kind: the method and the path, without ids and query."""

    def __init__(self) -> None:
        self.address = ""
        self.asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def loses(self, method: str, path: str) -> bool:
        """Whether the reply is lost: the first one of each kind."""
        kind = f"{method} {ID.sub('ID', path.partition('?')[0])}"
        with self._lock:
            self.asked[kind] += 1
            return self.asked[kind] == 1


@contextmanager
def losing(port: int) -> Iterator[Losing]:
    """A proxy before the server on a port of this machine."""
    state = Losing()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            behind = HTTPConnection("127.0.0.1", port, timeout=60)
            behind.request(self.command, self.path, body, dict(self.headers))
            reply = behind.getresponse()
            content = reply.read()
            behind.close()
            if state.loses(self.command, self.path):
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.getheaders():
                if name.lower() not in HOP:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 - names of http.server

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
