"""Numbers that are neither words nor 0-9, where they are the whole answer.

>>> whole_number("II"), whole_number("十二"), whole_number("I")
(('2', 'roman'), ('12', 'other_script'), None)
"""

from __future__ import annotations

import re

_ROMAN = re.compile(r"(X{0,3})(IX|IV|V?I{0,3})")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10}
_HAN = re.compile("([一二两兩三四五六七八九]?)(十?)([一二三四五六七八九]?)")
_HAN_DIGITS = {
    digit: value
    for value, digits in enumerate(("", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"))
    for digit in digits
}
_MEASURES = "个個只隻条條匹头頭辆輛名位"
_EDGES = " .,!()[]\"'\n。、"


def whole_number(text: str) -> tuple[str, str] | None:
    """Read a text that is nothing but Roman numerals or a Chinese number.

    Args:
        text: In the writer's letter case.

    Returns:
        The value (1 ... 39 in Roman, 0 ... 99 in Chinese) and the flag, or None. A single Roman
        letter is None: "I" is a word, "X" a placeholder.
    """
    body = text.strip(_EDGES)
    if len(body) < 2 or len(body) > 8:
        return _han(body) if len(body) == 1 else None
    roman = _ROMAN.fullmatch(body)
    if roman:
        digits = [_ROMAN_VALUES[letter] for letter in body]
        following = [*digits[1:], 0]
        return str(sum(-d if d < f else d for d, f in zip(digits, following, strict=True))), "roman"
    return _han(body)


def _han(body: str) -> tuple[str, str] | None:
    body = body.rstrip(_MEASURES)
    if body in {"零", "\u3007"}:
        return "0", "other_script"
    match = _HAN.fullmatch(body)
    if not body or match is None or (match[1] and match[3] and not match[2]):
        return None
    tens = (_HAN_DIGITS[match[1]] if match[1] else 1) if match[2] else 0
    lone = match[1] if not match[2] else ""
    units = _HAN_DIGITS[match[3] or lone] if match[3] or lone else 0
    return str(10 * tens + units), "other_script"
