r"""Where a text names the category: plurals, spelling variants, and words it must not match.

>>> mask("two traffic-lights and a hot dog", "traffic light") == f"two {MENTION} and a hot dog"
True
>>> mask("a hot dog beside a dog house", "dog")
'a hot dog beside a dog house'
>>> mask("knives (3.5x)", "knife") == mask("Knife (3.5x)", "knife") == f"{MENTION} (3.5x)"
True
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

from oodexp.answer.markup import plain
from oodexp.answer.unwrap import normalise

MENTION = "\ue000"
"""Stands for one mention of the category; a private-use character that `normalise` removes."""

IRREGULAR = {
    "person": ("people", "persons"),
    "man": ("men",),
    "woman": ("women",),
    "child": ("children",),
    "mouse": ("mice", "mouses"),
    "goose": ("geese",),
    "foot": ("feet",),
    "tooth": ("teeth",),
    "ox": ("oxen",),
    "knife": ("knives",),
    "wolf": ("wolves",),
    "shelf": ("shelves",),
    "leaf": ("leaves",),
    "calf": ("calves",),
    "loaf": ("loaves",),
    "scarf": ("scarves", "scarfs"),
    "sheep": ("sheep",),
    "fish": ("fish", "fishes"),
    "deer": ("deer",),
    "aircraft": ("aircraft",),
    "ski": ("skis",),
}
"""Plurals that no rule gives."""

_SINGULAR = {plural: one for one, plurals in IRREGULAR.items() for plural in plurals}
_LINKS = frozenset({"in", "on", "of", "with", "using", "for", "at", "by"})
_BEFORE = {"dog": "hot|corn|prairie", "bear": "teddy|gummy", "horse": "rocking", "fish": "star"}
# Copies of a thing, and things named after it. A toy car may or may not be labelled as a car, so
# a sentence about one settles nothing.
_COPY = "toy|stuffed|plush|fake|plastic|lego"
_AFTER = (
    "house|food|toy|statue|sculpture|figurine|sticker|logo|collar|leash|bed|stop|station|lane|"
    "park|driver|track|cage|feeder|carriage|rider|tree|juice|peel|cap|opener|lift|case|booth|"
    "shop|seat|door|tail|bowl|holder|costume|poster|emoji"
)


def mask(text: str, category: str) -> str:
    """Put `MENTION` in the place of each mention of the category.

    Args:
        text: Text in any case.
        category: Name of the category, taken literally; several words may be joined by blanks,
            hyphens, underscores or nothing. A blank name is never mentioned.

    Returns:
        The text in lower case, with quotation marks around mentions dropped. A name inside a
        longer one ("dog" in "hot dog", "bus" in "bus stop") is no mention.
    """
    text = text.casefold()
    pattern = _pattern(category)
    if pattern is None:
        return text
    return pattern.sub(lambda match: MENTION if match["it"] else match.group(), text)


def forms(category: str) -> tuple[str, ...]:
    """List the singular and plural forms of a category name, in lower case."""
    words = re.split(r"[\s_-]+", plain(normalise(category)).casefold())
    heads = {len(words) - 1}
    heads |= {i - 1 for i, word in enumerate(words) if i > 0 and word in _LINKS}
    spelt = (
        {word, *_plurals(word), *_singulars(word)} if i in heads else {word}
        for i, word in enumerate(words)
    )
    found = {" ".join(form) for form in product(*spelt)}
    return tuple(sorted(found, key=lambda form: (-len(form), form)))


@lru_cache(maxsize=4096)
def _pattern(category: str) -> re.Pattern[str] | None:
    if not forms(category)[0].strip():
        return None
    spelt = [
        r"[\s_-]?".join(re.escape(word) for word in form.split(" ")) for form in forms(category)
    ]
    name = f"(?:{'|'.join(spelt)})"
    # A digit may stand directly before a name ("3dogs"), a letter may not.
    free, end = r"(?<![^\W\d])", r"(?!\w)"
    before = "|".join([_COPY, *([_BEFORE[x]] if (x := category.casefold()) in _BEFORE else [])])
    longer = rf"(?<!\w)(?:{before})[ -]{name}{end}|{free}{name}[ -](?:{_AFTER})s?{end}"
    owner = rf"{free}{name}'s{end}"
    return re.compile(rf"{longer}|{owner}|[\"']?{free}(?P<it>{name}){end}(?!'s{end})[\"']?")


def _plurals(word: str) -> tuple[str, ...]:
    if word in IRREGULAR:
        return IRREGULAR[word]
    if re.search(r"(?:s|x|z|ch|sh)$", word):
        return (word + "es",)
    if re.search(r"[^aeiou]y$", word):
        return (word[:-1] + "ies",)
    return (word + "s", word + "es") if word.endswith("o") else (word + "s",)


def _singulars(word: str) -> tuple[str, ...]:
    if word in _SINGULAR:
        return (_SINGULAR[word],)
    if word.endswith("ies") and len(word) > 4:
        return (word[:-3] + "y",)
    if re.search(r"(?:sses|xes|zes|ches|shes)$", word):
        return (word[:-2],)
    return (word[:-1],) if re.search(r"[^sui]s$", word) else ()
