"""Any COCO-format instance file plus an image folder."""

from __future__ import annotations

from pathlib import Path

from oodexp.escape import Links
from oodexp.source.annotated import Folder
from oodexp.source.boxes import Boxed
from oodexp.source.instances import Instances, parse
from oodexp.source.labels import Given
from oodexp.source.need import Need


class Coco(Boxed, Folder):
    """Images and presence of a COCO-format data set: what is not annotated is absent.

    Args:
        annotations: The instance file, e.g. `instances_val2017.json`.
        images: The folder that `file_name` starts from.
        name: Name of the data set in every table.
        labels: Texts to show instead of the category names: a mapping, or the path of a file
            (see `source.labels`).
        links: Where links below the image folder may lead: `inside` it, or `anywhere`.

    Raises:
        OodexpError: If the file or the folder is not there, or is not what it should be.
    """

    def __init__(
        self, annotations: str, images: str, name: str = "coco", labels: Given = None,
        links: Links = "inside",
    ) -> None:  # fmt: skip
        form = (
            "COCO's instance file (instances_val2017.json from annotations_trainval2017.zip; "
            "experiment=fetch source=coco tells where it comes from)"
        )
        super().__init__(annotations, images, name, labels, form, "val2017/", links)

    @staticmethod
    def needs(annotations: str, images: str, **_: str) -> list[Need]:
        """COCO val2017, as `source.need.Planned` says."""
        page = "cocodataset.org, Dataset, Download: "
        return [
            Need("2017 val images, 0.8 GB", page + "2017 Val images", images, 5000),
            Need("annotations, 0.24 GB", page + "2017 Train/Val annotations", annotations),
        ]

    def _document(self) -> Path:
        return self._file

    def _parse(self) -> Instances:
        return parse(self._file, self.name, str(self._file), self._labels)
