"""open_clip's transformer blocks on a processor, their weights laid out once for its matrix units.

PyTorch multiplies float32 matrices with MKL, which leaves half of a processor that is not Intel's
unused, and lays out bfloat16 weights anew in every call. oneDNN is part of PyTorch, has kernels for
both, and keeps the layout. Same products in another order: unit vectors agree to about 1e-7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

_ROWS = 3200
"""Rows that the layout is chosen for: 64 images of 50 tokens; other numbers work as well."""


def pack(net: nn.Module, kind: torch.dtype) -> int:
    """Packs the plain self-attention blocks of open_clip in place, for inference only.

    Products run in `kind`; what flows past the blocks, norms and sums keep the model's own type. So
    a float32 model with bfloat16 products rounds each product once, and not the sums of all.

    Args:
        net: A model in evaluation mode; one on another device is left alone.
        kind: `torch.float32` or `torch.bfloat16`.

    Returns:
        Number of packed blocks.
    """
    import torch
    from open_clip.transformer import ResidualAttentionBlock

    places = {p.device.type for p in net.parameters()}
    able = torch._C._has_mkldnn and places == {"cpu"}
    if kind == torch.bfloat16:
        able = able and torch.ops.mkldnn._is_mkldnn_bf16_supported()
    blocks = [m for m in net.modules() if able and type(m) is ResidualAttentionBlock]
    done = 0
    for block in blocks:
        attention = block.attn
        # A block of cross-attention has a norm of its own for what it looks at.
        if hasattr(block, "ln_1_kv") or type(attention) is not torch.nn.MultiheadAttention:
            continue
        if attention.in_proj_weight is None or not attention.batch_first:
            continue
        block.attn = _attention(attention, kind)
        block.mlp = _mlp(block.mlp, kind)
        done += 1
    return done


def ready(net: Any, kind: torch.dtype) -> torch.dtype:
    """Brings an open_clip model in evaluation mode to a number format, packed where it can be.

    Args:
        net: The model, in float32.
        kind: `torch.float32` or `torch.bfloat16`.

    Returns:
        The type that its images must have.
    """
    import torch

    images = kind
    if pack(net.visual, kind):
        _pack_patches(net.visual, kind)
        images = torch.float32
    else:
        net.visual.to(kind)
    texts = [part for name, part in net.named_children() if name != "visual"]
    if not sum(pack(part, kind) for part in texts):
        for part in texts:
            part.to(kind)
        for own in net.parameters(recurse=False):
            own.data = own.data.to(kind)
    return images


def _pack_patches(visual: Any, kind: torch.dtype) -> None:
    """Makes a convolution of patches that do not overlap the product that it is."""
    from torch import nn

    plain = getattr(visual, "conv1", None)
    if type(plain) is not nn.Conv2d or plain.bias is not None:
        return
    if plain.stride != plain.kernel_size or plain.padding not in ((0, 0), 0):
        return
    high, wide = plain.kernel_size
    product = _linear(plain.weight.flatten(1), None, kind)

    class Patches(nn.Module):
        """As the convolution, without a remainder at the borders."""

        def forward(self, images: Tensor) -> Tensor:
            """Rows of the product laid out as (image, width, row, column)."""
            count, colours, height, width = images.shape
            parts = images.to(kind).view(
                count, colours, height // high, high, width // wide, wide
            )  # fmt: skip
            rows = parts.permute(0, 2, 4, 1, 3, 5).reshape(count, -1, colours * high * wide)
            found: Tensor = product(rows).to(images.dtype).transpose(1, 2)
            return found.reshape(count, -1, height // high, width // wide)

    visual.conv1 = Patches()


def _mlp(mlp: Any, kind: torch.dtype) -> Any:
    """`c_fc`, `gelu`, `c_proj`, the exact GELU joined to the product before it."""
    from torch import nn

    exact = type(mlp.gelu) is nn.GELU and mlp.gelu.approximate == "none"
    first = _linear(mlp.c_fc.weight, mlp.c_fc.bias, kind, "gelu" if exact else "none")
    last = _linear(mlp.c_proj.weight, mlp.c_proj.bias, kind)
    names = {"c_fc": first, "gelu": nn.Identity() if exact else mlp.gelu, "c_proj": last}
    packed = nn.Sequential()
    for name, part in names.items():
        packed.add_module(name, part)
    return packed


def _linear(weight: Tensor, bias: Tensor | None, kind: torch.dtype, after: str = "none") -> Any:
    import torch
    from torch import nn

    class Linear(nn.Module):
        """A product with a packed matrix."""

        def __init__(self) -> None:
            super().__init__()
            plain = weight.detach().to(kind).contiguous()
            self.laid = torch.ops.mkldnn._reorder_linear_weight(plain, _ROWS)
            self.bias = None if bias is None else bias.detach().to(kind)
            # open_clip asks this attribute for the type that flows past the blocks.
            self.weight = torch.empty(0, dtype=weight.dtype)

        def forward(self, rows: Tensor) -> Tensor:
            """The product, with the activation that follows it."""
            form = "none" if after == "gelu" else ""
            found: Tensor = torch.ops.mkldnn._linear_pointwise(
                rows.to(kind), self.laid, self.bias, after, [], form
            )
            return found

    return Linear()


def _attention(plain: Any, kind: torch.dtype) -> Any:
    import torch
    from torch import nn

    class Attention(nn.Module):
        """Self-attention in one call for queries, keys and values."""

        def __init__(self) -> None:
            super().__init__()
            self.heads = plain.num_heads
            self.into = _linear(plain.in_proj_weight, plain.in_proj_bias, kind)
            self.out = _linear(plain.out_proj.weight, plain.out_proj.bias, kind)

        def forward(
            self, query: Tensor, key: Tensor, value: Tensor, need_weights: bool = False,
            attn_mask: Tensor | None = None,
        ) -> tuple[Tensor, None]:  # fmt: skip
            """As `torch.nn.MultiheadAttention`, of a sequence to itself."""
            count, length, width = query.shape
            parts = self.into(query).view(count, length, 3, self.heads, width // self.heads)
            parts = parts.permute(2, 0, 3, 1, 4)
            if attn_mask is not None and attn_mask.ndim == 3:  # one for each head of each sequence
                attn_mask = attn_mask.view(count, self.heads, length, length)
            mask = None if attn_mask is None else attn_mask.to(kind)
            seen = torch.nn.functional.scaled_dot_product_attention(
                parts[0], parts[1], parts[2], attn_mask=mask
            )
            return self.out(seen.transpose(1, 2).reshape(count, length, width)), None

    return Attention()
