"""The review page's server: FastAPI and uvicorn on 127.0.0.1, for as long as people judge."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.resources import files
from typing import Annotated, Any, Literal

import uvicorn
from fastapi import FastAPI, HTTPException, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from oodexp.pixel import UnreadableImage
from oodexp.review.guard import HEADERS, refusal
from oodexp.review.session import Session
from oodexp.review.standing import MOST_NAME

GRACE = 3
"""Seconds that open connections have when the server stops."""

SCRIPTS = ("wire.js", "view.js", "review.js")
"""Parts of the page's script, in order."""

Number = Annotated[int, Path(ge=0)]
Name = Annotated[str, Field(min_length=1, max_length=MOST_NAME)]
Asked = Annotated[str, Query(min_length=1, max_length=MOST_NAME)]
Mark = Annotated[str, Field(pattern=r"^[0-9A-Za-z-]{8,64}$")]


class Undone(BaseModel):
    """A request to take the last verdict back."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: Mark
    """Names the request: sent twice, it counts once."""
    rater: Name


class Given(Undone):
    """A verdict as the page sends it."""

    pair: Annotated[int, Field(ge=0)]
    verdict: Literal["yes", "no", "unsure"]
    reason: Literal["contextually weak", "morphologically shifted", "wrong label", "other"] | None
    note: Annotated[str, Field(min_length=1, max_length=2000)] | None
    seconds: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


def application(session: Session, token: str, stop: Callable[[], None]) -> FastAPI:
    """The server's answers.

    Args:
        session: The review.
        token: What the page's address holds.
        stop: Called when somebody finishes the review.
    """
    app = FastAPI(title="oodexp review", docs_url=None, redoc_url=None, openapi_url=None)

    @app.middleware("http")
    async def guarded(
        request: Request, answer: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        refused = refusal(request.method, request.url.path, request.headers, token)
        if refused is None:
            response = await answer(request)
        else:
            response = JSONResponse({"detail": refused.reason}, refused.status)
        response.headers.update(HEADERS)
        return response

    _mistakes(app)
    _page(app)
    _questions(app, session)
    _verdicts(app, session)

    @app.post("/api/finish")
    def finish() -> dict[str, bool]:
        stop()
        return {"finished": True}

    return app


def listen(port: int) -> socket.socket:
    """A socket of 127.0.0.1; a free port for 0.

    Raises:
        OSError: If the port is taken.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(("127.0.0.1", port))
        found.listen(100)  # whoever opens the address at once waits until it is served
    except OSError:
        found.close()
        raise
    return found


def serve(session: Session, token: str, on: socket.socket) -> None:
    """Serves until somebody finishes the review or presses Ctrl-C.

    Args:
        session: The review.
        token: What the page's address holds; nothing is logged of any request.
        on: Of `listen`.
    """

    def stop() -> None:
        server.should_exit = True

    config = uvicorn.Config(
        application(session, token, stop), log_config=None, access_log=False, log_level="error",
        server_header=False, timeout_graceful_shutdown=GRACE, lifespan="off",
    )  # fmt: skip
    server = uvicorn.Server(config)
    with suppress(KeyboardInterrupt):  # as good a way to finish as the button
        server.run(sockets=[on])


def _mistakes(app: FastAPI) -> None:
    """A verdict that was not understood or not saved is told as one sentence, without its text."""

    @app.exception_handler(RequestValidationError)
    def misread(_: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": "not saved: the page sent what nobody can read"}, 422)

    @app.exception_handler(OSError)
    def unsaved(_: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": f"not saved: {getattr(error, 'strerror', error)}"}, 507)


def _page(app: FastAPI) -> None:
    style = _static("oodexp.report", "page.css") + _static("oodexp.review", "review.css")
    # One function around all: the parts see one another, and the page's globals stay as they are.
    parts = "".join(_static("oodexp.review", name) for name in SCRIPTS)
    script = f'(function () {{\n"use strict";\n{parts}}})();\n'
    for path, content, kind in (
        ("/", _static("oodexp.review", "page.html"), "text/html"),
        ("/review.css", style, "text/css"),
        ("/review.js", script, "text/javascript"),
        ("/review.svg", _static("oodexp.review", "review.svg"), "image/svg+xml"),
    ):
        app.add_api_route(path, _fixed(content, kind), methods=["GET"])


def _fixed(content: str, kind: str) -> Callable[[], Response]:
    def answer() -> Response:
        return Response(content, media_type=f"{kind}; charset=utf-8")

    return answer


def _questions(app: FastAPI, session: Session) -> None:
    @app.get("/api/raters")
    def raters() -> dict[str, Any]:
        return session.raters()

    @app.get("/api/sample")
    def sample(rater: Asked) -> dict[str, Any]:
        _known(session, rater)
        return session.seen_by(rater)

    @app.get("/api/image/{pair}")
    def image(pair: Number) -> Response:
        _there(session, pair)
        try:
            data, kind = session.image(pair)
        except (OSError, UnreadableImage) as error:
            raise HTTPException(404, "the image cannot be read") from error
        return Response(data, media_type=kind)

    @app.get("/api/boxes/{pair}")
    def boxes(pair: Number) -> dict[str, Any]:
        _there(session, pair)
        return {"boxes": session.boxes(pair)}


def _verdicts(app: FastAPI, session: Session) -> None:
    @app.post("/api/verdict")
    def verdict(given: Given) -> dict[str, Any]:
        _known(session, given.rater)
        _there(session, given.pair)
        said = given.model_dump(exclude={"rater", "pair"})
        return session.judge(given.rater, given.pair, said)

    @app.post("/api/undo")
    def undo(given: Undone) -> dict[str, Any]:
        _known(session, given.rater)
        return session.undo(given.rater, given.id)


def _known(session: Session, rater: str) -> None:
    if not session.may(rater):
        raise HTTPException(403, f"{rater!r} is no rater of this review")


def _there(session: Session, pair: int) -> None:
    if pair >= len(session):
        raise HTTPException(404, "no such pair")


def _static(package: str, name: str) -> str:
    return (files(package) / "static" / name).read_text(encoding="utf-8")
