"""An image as it is put into a request."""

from __future__ import annotations

import base64
import io

from oodexp.pixel import decode, media_type


def data_uri(data: bytes) -> str:
    """The file's bytes as they are, or as lossless PNG where a server may show other pixels.

    Args:
        data: The file.

    Raises:
        UnreadableImage: If the bytes are not a whole image.
    """
    pixels = decode(data)  # a file that is cut off must not reach a server that fills it with grey
    kind = media_type(data)
    if kind is None:
        sink = io.BytesIO()
        pixels.save(sink, "PNG")
        kind, data = "image/png", sink.getvalue()
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
