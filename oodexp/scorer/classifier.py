"""An ImageNet classifier of timm: its transform, its probabilities, the names of its classes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.weights import digests, locate, lone_weight_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PIL.Image import Image
    from torch import Tensor, nn

HUB = "hub"
"""The weights that timm itself names for an architecture and tag."""


class Classifier:
    """A timm classifier of one of ImageNet's class lists.

    Args:
        architecture: Name in timm, with a tag if wanted: `tf_efficientnet_lite0`.
        weights: `hub`, a file, or `package:NAME/PATH` of a file or of the folder that holds it.
    """

    def __init__(self, architecture: str, weights: str) -> None:
        self.architecture, self.weights = architecture, weights

    def fingerprint(self) -> dict[str, Any]:
        """Weights, architecture and transform; the network is not built."""
        settings = _settings(self.architecture)
        return {
            "architecture": self.architecture,
            "weights": digests([self._file(settings)]),
            "preprocessing": _transform_settings(settings),
            "classes": _subset(self.architecture, settings),
        }

    def load(self, device: str) -> None:
        """Builds the network with its weights.

        Raises:
            OodexpError: If the weights do not fit the architecture.
        """
        import timm

        settings = _settings(self.architecture)
        file = self._file(settings)
        if self.weights == HUB:
            overlay = {"file": str(file)}
            net = timm.create_model(
                self.architecture, pretrained=True, pretrained_cfg_overlay=overlay
            )
        else:
            net = timm.create_model(self.architecture, pretrained=False)
            fill_weights(net, _read(file), str(file))
        self._net, self._device = net.to(device).eval(), device
        self.transform = _data().create_transform(
            **_transform_settings(settings), is_training=False
        )
        info = _data().ImageNetInfo(_subset(self.architecture, settings))
        # WordNet's synonyms are parted by commas; the first is the most common name.
        self.names = [
            info.index_to_description(i).split(",")[0].strip() for i in range(info.num_classes())
        ]

    def preprocess(self, image: Image) -> Tensor:
        """Float32, (channel, height, width)."""
        pixels: Tensor = self.transform(image)
        return pixels

    def probabilities(self, batch: Tensor) -> Tensor:
        """Softmax over the classes, (image, class)."""
        import torch

        with torch.inference_mode():
            found: Tensor = self._net(batch.to(self._device)).float().softmax(-1)
        return found

    def _file(self, settings: dict[str, Any]) -> Path:
        if self.weights != HUB:
            return lone_weight_file(locate(self.weights))
        if not settings.get("hf_hub_id"):
            raise OodexpError(f"timm names no hub weights for {self.architecture!r}; give a file")
        return lone_weight_file(locate(settings["hf_hub_id"]))


def fill_weights(net: nn.Module, state: Mapping[str, Tensor], source: str) -> None:
    """Puts a state dict into a network by name, or in order where the names are another library's.

    In order, every entry must have the same shape and the same kind (`weight`, `running_mean`, ...)
    as its partner.

    Raises:
        OodexpError: Names the first entry that does not fit.
    """
    own = net.state_dict()
    if own.keys() != state.keys():
        if len(own) != len(state):
            raise OodexpError(f"{source}: {len(state)} entries, the architecture has {len(own)}")
        state = dict(zip(own, _in_order(own, state, source), strict=True))
    for name, tensor in state.items():
        if tensor.shape != own[name].shape:
            raise OodexpError(f"{source}: {name} {tuple(tensor.shape)} != {tuple(own[name].shape)}")
    net.load_state_dict(dict(state))


def _in_order(own: Mapping[str, Tensor], state: Mapping[str, Tensor], source: str) -> list[Tensor]:
    for name, (theirs, tensor) in zip(own, state.items(), strict=True):
        same_kind = name.rpartition(".")[2] == theirs.rpartition(".")[2]
        if not same_kind or own[name].shape != tensor.shape:
            raise OodexpError(
                f"{source}: entry {theirs} {tuple(tensor.shape)} does not fit {name} "
                f"{tuple(own[name].shape)}: other weights, or another architecture"
            )
    return list(state.values())


def _read(file: Path) -> dict[str, Tensor]:
    if file.suffix == ".safetensors":
        from safetensors.torch import load_file

        return load_file(file)
    import torch

    state: dict[str, Tensor] = torch.load(file, map_location="cpu", weights_only=True)
    return state


def _settings(architecture: str) -> dict[str, Any]:
    from timm.models import get_pretrained_cfg

    try:
        found: Any = get_pretrained_cfg(architecture, allow_unregistered=False)
    except RuntimeError as error:
        raise OodexpError(f"timm classifier {architecture!r}: {error}") from error
    return dict(found.to_dict())


def _transform_settings(settings: dict[str, Any]) -> dict[str, Any]:
    return dict(_data().resolve_data_config({}, pretrained_cfg=settings))


def _subset(architecture: str, settings: dict[str, Any]) -> str:
    found = _data().infer_imagenet_subset(settings)
    if found is None:
        raise OodexpError(
            f"timm classifier {architecture!r} has {settings.get('num_classes')} classes: no known "
            "ImageNet list, so its classes have no names"
        )
    return str(found)


def _data() -> Any:
    import timm.data

    return timm.data
