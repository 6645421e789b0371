"""One drawn scene: what stands where, and why it is in or out of distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from oodexp.miniature.background import BACKGROUNDS, draw_background
from oodexp.miniature.dial import DIAL, Dial
from oodexp.miniature.icon import CATEGORIES
from oodexp.miniature.sprite import VARIANTS, make_sprite

Mask = NDArray[np.bool_]

CONTEXTS: dict[str, tuple[str, ...]] = {
    "sea": ("boat", "fish", "umbrella", "ball", "cloud", "bottle"),
    "garden": ("tree", "flower", "mushroom", "apple", "ladder", "house"),
    "street": ("car", "house", "lamp", "tree", "clock", "bell"),
    "room": ("book", "cup", "bottle", "lamp", "clock", "key"),
    "sky": ("kite", "moon", "cloud", "ball", "heart", "bell"),
}
GROUND_OF: dict[str, tuple[str, ...]] = {
    "sea": ("sand", "water"),
    "garden": ("grass", "snow"),
    "street": ("brick", "snow"),
    "room": ("wood", "brick"),
    "sky": ("sky", "night"),
}


@dataclass(frozen=True)
class Thing:
    """One object of a scene.

    Attributes:
        category: One of ``CATEGORIES``.
        planted: ``canonical``, ``secondary`` or ``variant:`` and the deformation's name.
        size: Side in pixels of the box it was drawn in.
        box: Left, top, width, height in pixels of its visible part.
        area: Number of its visible pixels.
    """

    category: str
    planted: str
    size: int
    box: tuple[int, int, int, int]
    area: int


@dataclass(frozen=True)
class Scene:
    """A drawn scene.

    Attributes:
        image: Height by width by 3, uint8.
        things: Its visible objects, primaries first.
        background: One of ``BACKGROUNDS``.
        context: One of ``CONTEXTS``.
    """

    image: NDArray[np.uint8]
    things: tuple[Thing, ...]
    background: str
    context: str


@dataclass(frozen=True)
class _Placed:
    category: str
    planted: str
    size: int
    sprite: Image.Image
    corner: tuple[int, int]
    mask: Mask


def _weighted(weights: tuple[float, ...], rng: np.random.Generator) -> int:
    return int(rng.choice(len(weights), p=np.array(weights) / sum(weights)))


def _place(
    category: str,
    planted: str,
    size: int,
    corner: tuple[int, int],
    side: int,
    rng: np.random.Generator,
) -> _Placed:
    sprite = make_sprite(category, planted.removeprefix("variant:"), size, rng)
    layer = Image.new("L", (side, side), 0)
    layer.paste(sprite.getchannel("A"), corner)
    return _Placed(category, planted, size, sprite, corner, np.asarray(layer) > 110)


def _large(
    category: str,
    planted: str,
    bounds: tuple[int, int],
    taken: Mask,
    dial: Dial,
    rng: np.random.Generator,
) -> _Placed | None:
    """Places a large object wholly inside the image, nearly free of the others."""
    for attempt in range(24):
        size = max(bounds[0] - attempt // 6, int(rng.integers(bounds[0], bounds[1] + 1)) - attempt)
        x, y = (int(v) for v in rng.integers(1, dial.side - size, size=2))
        placed = _place(category, planted, size, (x, y), dial.side, rng)
        if placed.mask.any() and (placed.mask & taken).sum() <= 0.04 * placed.mask.sum():
            return placed
    return None


def _small(category: str, taken: Mask, dial: Dial, rng: np.random.Generator) -> _Placed | None:
    """Places a secondary object at the border, behind what is there already."""
    low, high = dial.secondary_size
    size = round(low + (high - low) * float(rng.random()) ** dial.secondary_skew)
    for _ in range(12):
        cut = int(size * rng.uniform(0, dial.most_cut))
        along = int(rng.integers(0, dial.side - size + 1))
        edge = int(rng.integers(4))
        across = -cut if edge % 2 == 0 else dial.side - size + cut
        corner = (across, along) if edge < 2 else (along, across)
        placed = _place(category, "secondary", size, corner, dial.side, rng)
        visible = (placed.mask & ~taken).sum()
        whole = (np.asarray(placed.sprite.getchannel("A")) > 110).sum()
        if whole and visible >= dial.least_visible * whole and visible >= 12:
            return placed
    return None


def _plan_primaries(context: str, dial: Dial, rng: np.random.Generator) -> list[tuple[str, int]]:
    """Draws the canonical categories of a scene and how often each is to stand there."""
    first, second = (str(c) for c in rng.choice(CONTEXTS[context], size=2, replace=False))
    if rng.random() >= dial.two_primary:
        return [(first, 1 + _weighted(dial.single_counts, rng))]
    row = _weighted(tuple(weight for _, _, weight in dial.double_counts), rng)
    one, two, _ = dial.double_counts[row]
    return [(first, one), (second, two)]


def _place_large(context: str, dial: Dial, rng: np.random.Generator) -> list[_Placed]:
    plan = _plan_primaries(context, dial, rng)
    wanted = [(name, "canonical") for name, count in plan for _ in range(count)]
    if rng.random() < dial.variant_scene:
        others = [c for c in CATEGORIES if c not in dict(plan)]
        kind = VARIANTS[int(rng.integers(len(VARIANTS)))]
        wanted.insert(0, (str(rng.choice(others)), f"variant:{kind}"))
    bounds = dial.primary_size[min(len(wanted), len(dial.primary_size)) - 1]
    taken = np.zeros((dial.side, dial.side), bool)
    placed: list[_Placed] = []
    for name, planted in wanted:
        thing = _large(name, planted, bounds, taken, dial, rng)
        if thing is not None:
            placed.append(thing)
            taken |= thing.mask
    return placed


def _place_small(
    context: str, large: list[_Placed], dial: Dial, rng: np.random.Generator
) -> list[_Placed]:
    used = {thing.category for thing in large}
    taken = np.zeros((dial.side, dial.side), bool)
    for thing in large:
        taken |= thing.mask
    placed: list[_Placed] = []
    for _ in range(_weighted(dial.secondary_number, rng)):
        at_home = rng.random() >= dial.out_of_context
        free = [c for c in CATEGORIES if c not in used and (c in CONTEXTS[context]) == at_home]
        if not free:
            continue
        found = _small(str(rng.choice(free)), taken, dial, rng)
        if found is not None:
            placed.append(found)
            used.add(found.category)
            taken |= found.mask
    return placed


def _as_thing(placed: _Placed, hidden: Mask) -> Thing:
    visible = placed.mask & ~hidden
    rows, columns = np.flatnonzero(visible.any(1)), np.flatnonzero(visible.any(0))
    left, top = int(columns[0]), int(rows[0])
    box = (left, top, int(columns[-1]) - left + 1, int(rows[-1]) - top + 1)
    return Thing(placed.category, placed.planted, placed.size, box, int(visible.sum()))


def draw_scene(rng: np.random.Generator, dial: Dial = DIAL) -> Scene:
    """Draws one scene; the same generator state gives the same scene.

    Args:
        rng: The only source of chance.
        dial: The dials of the world.

    Returns:
        A scene with one or two canonical categories, at most one deformed object, and up to
        three small objects at the border, behind the large ones.
    """
    context = str(rng.choice(list(CONTEXTS)))
    own = rng.random() < dial.own_background
    background = str(rng.choice(GROUND_OF[context] if own else BACKGROUNDS))
    picture = draw_background(background, dial.side, rng)
    large = _place_large(context, dial, rng)
    small = _place_small(context, large, dial, rng)
    front_to_back = large + small
    for placed in reversed(front_to_back):
        picture.paste(placed.sprite, placed.corner, placed.sprite)
    hidden = np.zeros((dial.side, dial.side), bool)
    things: list[Thing] = []
    for placed in front_to_back:
        things.append(_as_thing(placed, hidden))
        hidden |= placed.mask
    return Scene(np.asarray(picture, dtype=np.uint8), tuple(things), background, context)


def scene_at(seed: int, index: int, dial: Dial = DIAL) -> Scene:
    """Draws scene number ``index`` of a seed, whatever else was drawn before.

    Args:
        seed: Seed of the split, 0 or more.
        index: Number of the scene within the split, 0 or more.
        dial: The dials of the world.

    Returns:
        The scene.
    """
    return draw_scene(np.random.default_rng([seed, index, 0]), dial)
