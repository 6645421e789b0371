"""A chat-completions server on 127.0.0.1 that says what a test tells it to."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Heard:
    """One request as it arrived."""

    number: int
    body: dict[str, Any]
    headers: Mapping[str, str]
    path: str
    at: float

    @property
    def prompt(self) -> str:
        return self.body["messages"][-1]["content"][1]["text"]

    @property
    def image(self) -> tuple[str, bytes]:
        """Media type and bytes."""
        url = self.body["messages"][-1]["content"][0]["image_url"]["url"]
        kind, _, data = url.removeprefix("data:").partition(";base64,")
        return kind, base64.b64decode(data)


@dataclass(frozen=True)
class Said:
    """A response; `hang` seconds before it, `close` in its place, `half` of its body."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: float = 0.0
    close: bool = False
    half: bool = False


def reply(
    text: Any = "Yes",
    finish: str = "stop",
    usage: tuple[int, int] | None = (100, 2),
    **message: Any,
) -> dict[str, Any]:
    """The body of a completion."""
    body: dict[str, Any] = {
        "id": "r", "object": "chat.completion", "model": "stub",
        "choices": [{
            "index": 0, "finish_reason": finish,
            "message": {"role": "assistant", "content": text, **message},
        }],
    }  # fmt: skip
    if usage is not None:
        body["usage"] = dict(zip(("prompt_tokens", "completion_tokens"), usage, strict=True))
    return body


def error(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


class Stub:
    """Answers each request with `say(heard)`; remembers them all."""

    def __init__(self, say: Callable[[Heard], Said] = lambda heard: Said(body=reply())) -> None:
        self.heard: list[Heard] = []
        self.answered: list[str] = []
        """Prompts that a whole reply with status 200 was sent to."""
        self._lock = threading.Lock()
        self.in_flight = self.most_in_flight = 0
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                stub._handle(self, say)

            def log_message(self, *args: object) -> None: ...

        class Server(ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

            def handle_error(self, *args: object) -> None: ...

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        serve = self._server.serve_forever
        threading.Thread(target=serve, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def prompts(self) -> list[str]:
        return [heard.prompt for heard in self.heard]

    def _handle(self, handler: BaseHTTPRequestHandler, say: Callable[[Heard], Said]) -> None:
        data = handler.rfile.read(int(handler.headers["Content-Length"]))
        with self._lock:
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            heard = Heard(
                len(self.heard), json.loads(data), dict(handler.headers), handler.path,
                time.monotonic(),
            )  # fmt: skip
            self.heard.append(heard)
        try:
            self._send(handler, heard, say(heard))
        finally:
            with self._lock:
                self.in_flight -= 1

    def _send(self, handler: BaseHTTPRequestHandler, heard: Heard, said: Said) -> None:
        time.sleep(said.hang)
        if said.close:
            handler.close_connection = True
            return
        body = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
        body = body[: len(body) // 2] if said.half else body
        handler.send_response(said.status)
        for name, value in said.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
        if said.status == 200 and not said.half:
            with self._lock:
                self.answered.append(heard.prompt)
