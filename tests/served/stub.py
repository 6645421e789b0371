"""A chat-completions server on 127.0.0.1 that fails as it is told to, and counts what it gets."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

KEY = "sk-test-0123456789abcdefghij"


class Said(NamedTuple):
    """A response: status, headers, body (text or JSON); `act` does something else instead."""

    code: int = 200
    body: Any = ""
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed
    act: str = ""


def completion(
    text: Any = "Yes", finish: str = "stop", prompt: int = 800, new: int = 2, **message: Any
) -> Said:
    told = {"role": "assistant", "content": text, **message}
    usage = {"prompt_tokens": prompt, "completion_tokens": new}
    choice = {"index": 0, "finish_reason": finish, "message": told}
    return Said(200, {"id": "r", "choices": [choice], "usage": usage})


def error(code: int, word: str = "", message: str = "no", headers: dict[str, str] | None = None):
    return Said(code, {"error": {"code": word, "type": word, "message": message}}, headers or {})


def later(seconds: float) -> dict[str, str]:
    """`Retry-After` as a date."""
    return {"Retry-After": formatdate(time.time() + seconds, usegmt=True)}


Script = Callable[[dict[str, Any], int], Said]
"""From a request's body and its turn (how often this question came) to a response."""


class Stub:
    """Counts requests and answered ones by question (image and prompt)."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.paths: list[str] = []
        self.tokens = 0
        self.url = ""
        self.lock = threading.Lock()


def question(body: dict[str, Any]) -> str:
    image, text = body["messages"][-1]["content"]
    return image["image_url"]["url"] + text["text"]


@contextmanager
def serving(script: Script, port: int = 0) -> Iterator[Stub]:
    stub = Stub(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with stub.lock:
                name = question(body)
                stub.asked[name] += 1
                stub.bodies.append(body)
                stub.times.append(time.monotonic())
                stub.paths.append(self.path)
                said = stub.script(body, stub.asked[name])
            if said.act == "hang":
                time.sleep(3.0)
            if said.act:
                self.close_connection = True
                return
            text = said.body if isinstance(said.body, str) else json.dumps(said.body)
            if said.code == 200 and isinstance(said.body, dict):
                with stub.lock:
                    stub.answered[name] += 1
                    stub.tokens += sum(v for v in said.body["usage"].values() if isinstance(v, int))
            self.send_response(said.code)
            for header, value in said.headers.items():
                self.send_header(header, value)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *_: Any) -> None:
            pass  # a client that gave up is no news

    server = Server(("127.0.0.1", port), Handler)
    stub.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
