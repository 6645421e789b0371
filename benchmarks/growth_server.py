"""A chat-completions server that answers every question after a second, in a process of its own.

`python -m benchmarks.growth_server SECONDS` prints its port and serves until it is ended.
"""

from __future__ import annotations

import asyncio
import sys

BODY = (
    b'{"id":"r","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",'
    b'"content":"Yes"}}],"usage":{"prompt_tokens":800,"completion_tokens":2}}'
)
REPLY = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
    + str(len(BODY)).encode()
    + b"\r\n\r\n"
    + BODY
)


async def serve(seconds: float) -> None:
    """Serves.

    Args:
        seconds: How long a reply takes.
    """

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
                await reader.readexactly(length)
                await asyncio.sleep(seconds)
                writer.write(REPLY)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, limit=1 << 20, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
