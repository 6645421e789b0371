"""Labels and instance images against cityscapesscripts (2.3.0, its own environment)."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from oodexp.source.cityscapes import Cityscapes
from oodexp.source.cityscapes_labels import KNOWN, TRAINED, of
from tests.oracles.asked import ask
from tests.source.cityscapes_made import SIZE, drawn, write

pytestmark = pytest.mark.oracle

LABELS = """
import json
from cityscapesscripts.helpers.labels import assureSingleInstanceName, labels
print(json.dumps([[l.name, l.id, l.hasInstances, l.trainId, assureSingleInstanceName(l.name)]
                  for l in labels]))
"""
PAINT = """
import json, sys
from pathlib import Path
import numpy as np
from PIL import Image
from cityscapesscripts.helpers.annotation import Annotation
from cityscapesscripts.preparation.json2instanceImg import createInstanceImage
for file in sorted(Path(sys.argv[1]).glob("gtFine/val/*/*_gtFine_polygons.json")):
    annotation = Annotation()
    annotation.fromJsonFile(str(file))
    # Its own way of saving, as mode I, is refused by new versions of Pillow.
    values = np.array(createInstanceImage(annotation, "ids")).astype(np.uint16)
    Image.fromarray(values).save(str(file).replace("_polygons.json", "_instanceIds.png"))
print("null")
"""
COUNT = """
import json, sys
from pathlib import Path
import numpy as np
from PIL import Image
from cityscapesscripts.evaluation.instance import Instance
from cityscapesscripts.helpers.labels import id2label
found = {}
for file in sorted(Path(sys.argv[1]).glob("gtFine/val/*/*_gtFine_instanceIds.png")):
    image = np.array(Image.open(file))
    cells = found.setdefault(file.name.replace("_gtFine_instanceIds.png", ""), [])
    for value in np.unique(image):
        instance = Instance(image, value)
        label = id2label[int(instance.labelID)]
        cells.append([label.name, label.hasInstances, int(value) >= 1000, int(instance.pixelCount)])
print(json.dumps(found))
"""


def polygons(rng: np.random.Generator, objects: int = 15) -> list[dict]:
    """Objects of any outline, concave and crossing ones too, partly outside the image."""
    found = drawn(rng, objects)
    for entry in found:
        corners = int(rng.integers(3, 9))
        place = rng.integers(0, SIZE, 2) + rng.integers(-15, 16, (corners, 2))
        entry["polygon"] = place.tolist()
    return found


def plain(pairs: pd.DataFrame) -> dict[tuple[str, str], list]:
    table = pairs.astype(object).where(pairs.notna(), None)
    return {(p.image_id, p.category): [p.count, p.count_reason, p.area] for p in table.itertuples()}


def test_names_numbers_and_classes_are_the_official_ones():
    official = ask("cityscapesscripts", LABELS)
    assert {name: (n, counted) for name, n, counted, _, _ in official} == {
        label.name: (label.number, label.counted) for label in KNOWN.values()
    }
    trained = sorted((train, name) for name, _, _, train, _ in official if 0 <= train < 255)
    assert [name for _, name in trained] == list(TRAINED)


def test_the_suffix_group_means_what_it_officially_means():
    script = """
import json, sys
from cityscapesscripts.helpers.labels import assureSingleInstanceName
print(json.dumps([assureSingleInstanceName(name) for name in json.loads(sys.argv[1])]))
"""
    counted = [label.name for label in KNOWN.values() if label.counted]
    asked = [*KNOWN, *(f"{name}group" for name in counted), "ufo", "ufogroup", "group"]
    official = ask("cityscapesscripts", script, json.dumps(asked))
    assert [found and found[0].name for found in map(of, asked)] == official


@pytest.mark.parametrize("classes", ["objects", "train"])
def test_polygons_give_the_cells_of_the_official_instance_image(tmp_path, classes):
    rng = np.random.default_rng(11)
    for n in range(40):
        write(tmp_path, f"ulm_000000_{n:06d}", polygons(rng))
    settings = {"root": str(tmp_path), "classes": classes, "min_pixels": 1}
    from_polygons = Cityscapes(**settings)
    ours = plain(from_polygons.pairs()), from_polygons.presence().tolist()
    ask("cityscapesscripts", PAINT, str(tmp_path))
    from_images = Cityscapes(**settings)
    assert (plain(from_images.pairs()), from_images.presence().tolist()) == ours
    assert {None, "group", "not counted"} == {why for _, why, _ in ours[0].values()}
    assert len(from_polygons.problems()) == len(from_images.problems()) == 0


def test_counts_are_those_of_the_official_instances(tmp_path):
    rng = np.random.default_rng(12)
    for n in range(40):
        write(tmp_path, f"ulm_000000_{n:06d}", polygons(rng))
    ask("cityscapesscripts", PAINT, str(tmp_path))
    source = Cityscapes(str(tmp_path))
    expected: dict[tuple[str, str], list] = {}
    for image, instances in ask("cityscapesscripts", COUNT, str(tmp_path)).items():
        for name, counted, one, pixels in instances:
            if name not in source.categories():
                continue
            cell = expected.setdefault((image, name), [0, None, None])
            if counted and one:
                cell[0] += cell[0] is not None
                cell[2] = max(cell[2] or 0, pixels)
            else:
                cell[1] = "group" if counted else "not counted"
    for cell in expected.values():
        cell[0] = None if cell[1] else cell[0]
    assert plain(source.pairs()) == expected
    assert len(expected) > 50
