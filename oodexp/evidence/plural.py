"""English plurals of names, for finding them in texts.

A form that nobody writes ("scissorses") finds nothing and does no harm; a missing one would hide a
mention. So where spelling allows two, both are given.
"""

from __future__ import annotations

import re

IRREGULAR = {
    "aircraft": ("aircraft",),
    "calf": ("calves",),
    "cattle": ("cattle",),
    "child": ("children",),
    "deer": ("deer",),
    "fish": ("fish", "fishes"),
    "foot": ("feet",),
    "goose": ("geese",),
    "half": ("halves",),
    "knife": ("knives",),
    "leaf": ("leaves",),
    "loaf": ("loaves",),
    "luggage": ("luggage",),
    "mouse": ("mice", "mouses"),
    "ox": ("oxen",),
    "people": ("people",),
    "person": ("people", "persons"),
    "scarf": ("scarves", "scarfs"),
    "sheep": ("sheep",),
    "shelf": ("shelves",),
    "tooth": ("teeth",),
    "wolf": ("wolves",),
}
"""Plurals of last words that no rule gives."""

_PLAIN_MAN = {"human", "german", "roman", "caiman", "talisman", "ottoman"}


def plurals(name: str) -> tuple[str, ...]:
    """The plural forms of a name, by its last word.

    >>> plurals("wine glass"), plurals("policeman"), plurals("potted-cactus")
    (('wine glasses',), ('policemen',), ('potted-cactuses',))

    Args:
        name: A name in the singular, in any case; its other words stay as they are.
    """
    found = re.search(r"[^\W\d_]+$", name)
    if found is None:
        return ()
    head, word = name[: found.start()], found[0].lower()
    return tuple(head + form for form in _of_word(word))


def _of_word(word: str) -> tuple[str, ...]:
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("man") and word not in _PLAIN_MAN:
        return (f"{word[:-3]}men",)
    if re.search(r"(?:s|x|z|ch|sh)$", word):
        return (f"{word}es",)
    if re.search(r"[^aeiou]y$", word):
        return (f"{word[:-1]}ies",)
    return (f"{word}s", f"{word}es") if word.endswith("o") else (f"{word}s",)
