"""The questions of a run as parts of an export: one part for each split and kind of question."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import pandas as pd

from oodexp.error import OodexpError
from oodexp.export.naming import image_kind, image_names, part_name, slug

if TYPE_CHECKING:
    from oodexp.export.base import Content

POPULATIONS = ("drawn", "all")


class Picture(NamedTuple):
    """An image file of the export."""

    source: str
    """Name of the data set."""
    image_id: str
    """Id of the image within the source."""
    file: str
    """Safe file name, with the ending that fits its bytes."""
    media: str
    """Media type by its bytes."""
    sha256: str
    """Of its bytes."""
    size: int
    """Number of bytes."""


class Item(NamedTuple):
    """A question with its image; the fields are those of `record.Question`."""

    question_id: str
    picture: Picture
    category: str
    kind: str
    polarity: str
    prompt: str
    target: str
    split: str | None
    max_tokens: int | None

    @property
    def pair_id(self) -> str:
        """Names the pair (source, image, category) that the question is about."""
        picture = self.picture
        return "/".join(
            quote(t, safe="") for t in (picture.source, picture.image_id, self.category)
        )

    @property
    def verdict(self) -> bool:
        """Whether the right answer is yes or no, and not a number."""
        return self.target in ("yes", "no")


@dataclass(frozen=True, slots=True)
class Part:
    """Questions of one split and kind, those of an image side by side."""

    name: str
    """Lower case letters, digits and `_`."""
    split: str | None
    """Split of its questions."""
    kind: str
    """Kind of its questions."""
    items: Sequence[Item]
    """In the order of the run, images in order of their first question."""

    @property
    def verdicts(self) -> bool:
        """Whether all right answers are yes or no."""
        return all(item.verdict for item in self.items)


class Bytes:
    """Reads image files, and refuses what is not what the run asked about.

    Args:
        content: The run.
    """

    def __init__(self, content: Content) -> None:
        self._read = content.read
        images = content.images
        self._sha = {
            (source, image): sha if isinstance(sha, str) else None
            for source, image, sha in zip(
                images["source"], images["image_id"], images["sha256"], strict=True
            )
        }

    def __call__(self, source: str, image_id: str) -> bytes:
        """The bytes of the file.

        Raises:
            OodexpError: If the image is not listed, cannot be read, or has changed since the run.
        """
        told = f"image {image_id!r} of source {source!r}"
        if (source, image_id) not in self._sha:
            raise OodexpError(f"{told}: not in the table images; export questions of one run")
        try:
            data = self._read(source, image_id)
        except (OSError, KeyError) as error:
            raise OodexpError(f"{told}: cannot be read ({error}); put the file back") from error
        want = self._sha[source, image_id]
        found = hashlib.sha256(data).hexdigest()
        if want is not None and want != found:
            raise OodexpError(
                f"{told}: its sha256 is {found}, the run asked about {want}; put the file back or "
                "run again on the new one"
            )
        return data


def parts(content: Content, dataset: str, population: str) -> list[Part]:
    """The questions in parts, in order of split and then kind as they first appear.

    Args:
        content: The run.
        dataset: First word of every part's name.
        population: `drawn` leaves out the questions about pairs that were not drawn; `all` leaves
            out none.

    Raises:
        OodexpError: If population or name cannot be used, no question is left, two parts have one
            name, or an image is not what it was.
    """
    if population not in POPULATIONS:
        raise OodexpError(f"export population={population}: expected one of {POPULATIONS}")
    if not slug(dataset):
        raise OodexpError(f"export name={dataset!r}: expected a letter a-z or a digit in it")
    asked = chosen(content, population)
    if asked.empty:
        raise OodexpError(
            f"nothing to export: none of {len(content.questions)} questions is about a "
            f"{'drawn ' if population == 'drawn' else ''}pair; try export population=all"
        )
    pictures = _pictures(content, list(zip(asked["source"], asked["image_id"], strict=True)))
    found: dict[tuple[str | None, str], list[Item]] = {}
    for row in asked.itertuples(index=False):
        item = _item(row, pictures[row.source, row.image_id])
        found.setdefault((item.split, item.kind), []).append(item)
    done = [
        Part(part_name(dataset, split, kind), split, kind, _by_image(items))
        for (split, kind), items in sorted(found.items(), key=lambda f: (f[0][0] or "~", f[0][1]))
    ]
    names = [part.name for part in done]
    if len(set(names)) < len(names):
        raise OodexpError(f"parts {names}: two have one name; give kinds that differ by letters")
    return done


def chosen(content: Content, population: str) -> pd.DataFrame:
    """The questions of a population, in the order of the run; arguments as of `parts`."""
    questions, members = content.questions, content.memberships
    if population == "all" or questions.empty:
        return questions
    keys = ["source", "image_id", "category"]
    left_out = pd.MultiIndex.from_frame(members.loc[~members["drawn"].astype(bool), keys])
    # A question about no pair of the division, such as an absent category of polling, stays.
    return questions[~pd.MultiIndex.from_frame(questions[keys]).isin(left_out)]


def _pictures(
    content: Content, images: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], Picture]:
    read, found = Bytes(content), {}
    for (source, image_id), name in image_names(list(dict.fromkeys(images))).items():
        data = read(source, image_id)
        ending, media = image_kind(data)
        sha256 = hashlib.sha256(data).hexdigest()
        found[source, image_id] = Picture(
            source, image_id, f"{name}{ending}", media, sha256, len(data)
        )
    return found


def _item(row: Any, picture: Picture) -> Item:
    split, most = row.split, row.max_tokens
    return Item(
        row.question_id, picture, row.category, row.kind, row.polarity, row.prompt, row.target,
        split if isinstance(split, str) else None, None if pd.isna(most) else int(most),
    )  # fmt: skip


def _by_image(items: Sequence[Item]) -> list[Item]:
    first = {p: n for n, p in enumerate(dict.fromkeys(item.picture for item in items))}
    return sorted(items, key=lambda item: first[item.picture])
