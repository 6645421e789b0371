"""Networks of timm with weights that are all there: from the hub, from a file, from a package.

A file of another library may name its entries differently; it is then taken in order, every entry
of the same kind and shape as its partner, or refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.weights import locate, lone_weight_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor, nn

HUB = "hub"
"""The weights that timm itself names for an architecture and tag."""


def settings_of(architecture: str) -> dict[str, Any]:
    """What timm knows of an architecture and its tag: hub id, classes, input, normalisation.

    Raises:
        OodexpError: If timm knows no such architecture.
    """
    from timm.models import get_pretrained_cfg

    try:
        found: Any = get_pretrained_cfg(architecture, allow_unregistered=False)
    except RuntimeError as error:
        raise OodexpError(f"timm model {architecture!r}: {error}") from error
    return dict(found.to_dict())


def transform_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that decides the transform of an image, as plain values.

    Args:
        settings: As `settings_of` gives them.
    """
    import timm.data

    library: Any = timm.data  # its functions have no types
    return dict(library.resolve_data_config({}, pretrained_cfg=dict(settings)))


def transform_of(settings: Mapping[str, Any]) -> Any:
    """The transform of an RGB image that the weights were evaluated with.

    Args:
        settings: As `settings_of` gives them.
    """
    import timm.data

    library: Any = timm.data
    return library.create_transform(**transform_settings(settings), is_training=False)


def weight_file(architecture: str, weights: str, settings: Mapping[str, Any]) -> Path:
    """Where the weights are; those of the hub are downloaded if need be.

    Args:
        architecture: Name in timm.
        weights: `hub`, a file, a folder with one weight file, or `package:NAME/PATH` of either.
        settings: As `settings_of` gives them.

    Raises:
        OodexpError: If there are none, or several.
    """
    if weights != HUB:
        return lone_weight_file(locate(weights))
    if not settings.get("hf_hub_id"):
        raise OodexpError(f"timm names no hub weights for {architecture!r}; give a file")
    return lone_weight_file(locate(settings["hf_hub_id"]))


def classifier_net(architecture: str, weights: str, file: Path) -> nn.Module:
    """The whole network, its classifier included.

    Args:
        architecture: Name in timm.
        weights: `hub`, or anything else for the file as it is.
        file: Where the weights are.

    Raises:
        OodexpError: If the weights do not fit the architecture.
    """
    if weights != HUB:
        return _filled(architecture, _read(file), file)
    import timm

    overlay = {"file": str(file)}
    try:
        net: nn.Module = timm.create_model(
            architecture, pretrained=True, pretrained_cfg_overlay=overlay
        )
    except RuntimeError as error:
        told = " ".join(str(error).split())[:300]
        raise OodexpError(f"{file}: no weights of timm's {architecture!r} ({told})") from error
    return net


def feature_net(architecture: str, weights: str, file: Path) -> nn.Module:
    """The network without its classifier: an image becomes its pooled features.

    The file may hold the whole network or the network without its classifier.

    Args:
        architecture: Name in timm.
        weights: `hub`, or anything else for the file as it is.
        file: Where the weights are.

    Raises:
        OodexpError: If the weights do not fit the architecture, or leave one of it out.
    """
    import timm

    bare: nn.Module = timm.create_model(architecture, pretrained=False, num_classes=0)
    if weights == HUB:
        # Not `pretrained=True` with 0 classes: timm then lets missing weights pass.
        return _stripped(bare, classifier_net(architecture, weights, file), architecture)
    state = _read(file)
    if len(state) == len(bare.state_dict()):
        fill_weights(bare, state, str(file))
        return bare
    return _stripped(bare, _filled(architecture, state, file), architecture)


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


def _filled(architecture: str, state: Mapping[str, Tensor], file: Path) -> nn.Module:
    import timm

    net: nn.Module = timm.create_model(architecture, pretrained=False)
    fill_weights(net, state, str(file))
    return net


def _stripped(bare: nn.Module, whole: nn.Module, architecture: str) -> nn.Module:
    """The network without classifier, with the weights of the whole one."""
    state = whole.state_dict()
    lost = sorted(bare.state_dict().keys() - state.keys())
    if lost:
        raise OodexpError(
            f"timm model {architecture!r}: {lost[:5]} of the network without its classifier are "
            "not among the weights of the whole one and would be random; choose another model"
        )
    bare.load_state_dict({name: state[name] for name in bare.state_dict()})
    return bare


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
