"""Images of their own aspect ratio (SigLIP 2, NaFlex) as tensors of one shape, so that they stack.

The processor cuts an image into a grid of patches and fills the rest with zeros. Here the grid's
height and width become one more row before the patches; the mask follows from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from torch import Tensor


def pack(processed: Any) -> Tensor:
    """One image as float32, (1 + patch, value): row 0 begins with the grid's height and width.

    Args:
        processed: `pixel_values` (1, patch, value) and `spatial_shapes` (1, 2) of the processor.
    """
    import torch

    patches = processed["pixel_values"][0].float()
    head = patches.new_zeros(1, patches.shape[1])
    head[0, :2] = torch.as_tensor(processed["spatial_shapes"])[0]
    return torch.cat([head, patches])


def unpack(batch: Tensor, dtype: torch.dtype) -> dict[str, Tensor]:
    """What the model's image side takes, of packed images (image, 1 + patch, value).

    Args:
        batch: Packed images, float32: a grid's size would not survive bfloat16.
        dtype: Number format of the model.
    """
    import torch

    # An image that is not finite keeps a grid, so that its vector, and no other, is not finite.
    shapes = batch[:, 0, :2].nan_to_num(nan=1.0).long().clamp(min=1)
    patches = batch[:, 1:]
    used = torch.arange(patches.shape[1], device=batch.device) < shapes.prod(1, keepdim=True)
    return {
        "pixel_values": patches.to(dtype),
        "pixel_attention_mask": used.long(),
        "spatial_shapes": shapes,
    }
