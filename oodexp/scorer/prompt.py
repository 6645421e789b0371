"""Category names to prompts, and the refusal of prompts that a model cannot tell apart."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from oodexp.error import OodexpError

BLANK = "{}"
"""Stands for the category in a template."""


def check_templates(templates: Sequence[str]) -> tuple[str, ...]:
    """The templates as a tuple.

    Raises:
        OodexpError: If there is none, or if one does not hold `{}` exactly once.
    """
    if isinstance(templates, str) or not templates:
        raise OodexpError(f"templates: expected a list of texts with {BLANK!r}, got {templates!r}")
    wrong = [t for t in templates if t.count(BLANK) != 1]
    if wrong:
        raise OodexpError(f"templates {wrong}: each must hold {BLANK!r} once, for the category")
    return tuple(templates)


def fill(template: str, categories: Sequence[str]) -> list[str]:
    """The template with each category, verbatim; braces in a category are kept."""
    return [template.replace(BLANK, category) for category in categories]


def refuse_lost(
    categories: Sequence[str], keys: Sequence[Hashable], too_long: Sequence[bool], limit: int
) -> None:
    """Refuses texts that are cut, or that become one and the same text for the model.

    Args:
        categories: The category of each text.
        keys: What the model is given for each text (all templates together): its token ids.
        too_long: Whether a text is longer than the model takes.
        limit: The model's longest text, in tokens.

    Raises:
        OodexpError: Lists the categories whose text is cut and the groups that become equal.
    """
    groups: dict[Hashable, list[str]] = {}
    for category, key in zip(categories, keys, strict=True):
        groups.setdefault(key, []).append(category)
    same = [group for group in groups.values() if len(group) > 1]
    cut = [c for c, long in zip(categories, too_long, strict=True) if long]
    if not same and not cut:
        return
    parts = []
    if cut:
        parts.append(f"longer than the model's {limit} tokens and would be cut: {cut}")
    if same:
        parts.append(f"the same tokens for the model: {same}")
    raise OodexpError(f"categories: {'; '.join(parts)}; shorten or rename them")
