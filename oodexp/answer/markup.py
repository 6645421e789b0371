r"""Tags, boxes, fences, JSON and Markdown around an answer.

>>> peel(r"So it is \boxed{\text{Yes}}."), peel('{"answer": "no"}'), peel("Yes.")
('\\text{Yes}', 'no', None)
>>> plain("## **Yes**, a _dog_ is `here`")
'Yes, a dog is here'
"""

from __future__ import annotations

import json
import re
from collections import deque

_ENCLOSING = tuple(
    (re.compile(re.escape(opener), re.IGNORECASE), re.compile(re.escape(closer), re.IGNORECASE))
    for opener, closer in (("<answer>", "</answer>"), ("<|begin_of_box|>", "<|end_of_box|>"))
)
_ANSWER_KEYS = ("final_answer", "answer", "prediction", "response", "result", "output", "count")
_BOX = re.compile(r"\\boxed ?\{")
_BRACE = re.compile(r"[{}]")
_FENCE_NAME = re.compile(r"[A-Za-z0-9_+-]{0,20}[ \t]*(?:\n|$)")
_SPECIAL = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>|<eos>|<pad>")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,20} ?/?>")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_TEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\{([^{}]{0,200})\}|\\[()\[\]]|\$")
_UNDERSCORES = re.compile(r"_+")
_LINE_LEAD = re.compile(r"^(?:#{1,6} |> (?!\d)|[-+•·] )+")


def peel(text: str) -> str | None:
    r"""Take one wrapping off a text.

    Args:
        text: Any text; an answer tag or a `\boxed{}` may stand anywhere in it, JSON and a code
            fence must be all of it.

    Returns:
        What stands inside the wrapping (the last one, where there are several), or None when
        there is no wrapping or nothing in it.
    """
    text = text.strip()
    for inner in (_enclosed(text), _boxed(text), _fenced(text), _from_json(text)):
        if inner is not None and plain(inner):
            return inner.strip()
    return None


def plain(text: str) -> str:
    """Drop Markdown, HTML and special tokens, and leave single blanks and single line breaks."""
    text = _TAG.sub(" ", _BREAK.sub("\n", _SPECIAL.sub(" ", text)))
    text = _TEX.sub(lambda match: match.group(1) or "", text)
    for mark in ("*", "`", "~~"):
        text = text.replace(mark, "")
    text = _UNDERSCORES.sub(_keep_inside_word, text)
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in (_LINE_LEAD.sub("", x, 1) for x in lines) if line)


def _keep_inside_word(run: re.Match[str]) -> str:
    text, start, end = run.string, run.start(), run.end()
    inside = start > 0 and end < len(text) and text[start - 1].isalnum() and text[end].isalnum()
    return run.group() if inside else ""


def _enclosed(text: str) -> str | None:
    for opener, closer in _ENCLOSING:
        start = _end_of_last(opener, text)
        if start is not None:
            end = closer.search(text, start)
            return text[start : end.start() if end else len(text)]
    return None


def _boxed(text: str) -> str | None:
    start = _end_of_last(_BOX, text)
    if start is None:
        return None
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return text[start : brace.start()]
    return text[start:]


def _end_of_last(pattern: re.Pattern[str], text: str) -> int | None:
    ends = deque((match.end() for match in pattern.finditer(text)), maxlen=1)
    return ends[0] if ends else None


def _fenced(text: str) -> str | None:
    if not text.startswith("```") or not text.endswith("```") or len(text) < 7:
        return None
    body = text[3:-3]
    name = _FENCE_NAME.match(body)
    return body[name.end() :] if name else body


def _from_json(text: str) -> str | None:
    if not text.startswith(("{", "[")) or not text.endswith(("}", "]")):
        return None
    try:
        # Numbers stay text: Python refuses to build integers of thousands of digits.
        held = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    if isinstance(held, dict):
        keyed = {str(key).casefold().replace(" ", "_"): value for key, value in held.items()}
        named = next((keyed[key] for key in _ANSWER_KEYS if key in keyed), None)
        held = next(iter(keyed.values())) if named is None and len(keyed) == 1 else named
    elif isinstance(held, list):
        held = held[0] if len(held) == 1 else None
    return str(held) if isinstance(held, str | bool) else None
