"""The networks in torch: square detector, cell classifier and context network."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kdvision.vision.networks.cells import locate_heads

DETECTOR_OUTPUTS = 8
"""Per output pixel: square or not, offset to its centre (2), code of its axes (5); see `vision.networks.detector`."""
COLOUR_FEATURES = 6
"""Mean and standard deviation of the colours of a square; see `vision.classify.context`."""
OWN_EVIDENCE_SHARE = 0.1
"""Weight of a tile's own evidence in the mixture with the context network's output."""
MIN_LOG_PROBABILITY = -12.0
"""Log-probabilities are clipped here before they enter the context network."""
PIXEL_MEAN, PIXEL_DEVIATION = 115, 68.85


class Conv(nn.Sequential):
    """Convolution, batch norm, ReLU."""

    def __init__(self, inputs: int, outputs: int, *, stride: int = 1, kernel: int = 3) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, kernel, stride, (kernel - 1) // 2, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
        )


class Residual(nn.Module):
    """Two convolutions with a skip connection (He et al., 2016)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = Conv(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.second(self.first(x)))


class DetectorNet(nn.Module):
    """Square detector: photo (n, 3, H, W), 0 to 255 -> votes (n, 8, H/8, W/8). H and W are multiples of 32.

    An encoder down to 1/32 of the size, and a feature pyramid back up to 1/8 (Lin et al., 2017).
    """

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        middle, deep = width + 32, width + 64
        self.stem = nn.Sequential(Conv(3, 16, stride=2), Conv(16, 32, stride=2))
        self.eighth = nn.Sequential(Conv(32, width, stride=2), Residual(width), Residual(width))
        self.sixteenth = nn.Sequential(Conv(width, middle, stride=2), Residual(middle), Residual(middle))
        self.thirtysecond = nn.Sequential(Conv(middle, deep, stride=2), Residual(deep), Residual(deep))
        self.up_deep = Conv(deep, middle, kernel=1)
        self.up_middle = Conv(middle, width, kernel=1)
        self.merge_middle = Residual(middle)
        self.merge = Residual(width)
        self.head = nn.Sequential(Conv(width, width), nn.Conv2d(width, DETECTOR_OUTPUTS, 1))

    def forward(self, x: Tensor) -> Tensor:
        eighth = self.eighth(self.stem((x - PIXEL_MEAN) / PIXEL_DEVIATION))
        sixteenth = self.sixteenth(eighth)
        deep = self.thirtysecond(sixteenth)
        middle = self.merge_middle(sixteenth + F.interpolate(self.up_deep(deep), scale_factor=2.0, mode="nearest"))
        fine = self.merge(eighth + F.interpolate(self.up_middle(middle), scale_factor=2.0, mode="nearest"))
        result: Tensor = self.head(fine)
        return result


class CellNet(nn.Module):
    """Cell classifier: crops (n, 3, 64, 64), 0 to 255, with the square in the middle 40 pixels -> logits.

    `vision.networks.cells.locate_heads` says which outputs are which.
    """

    def __init__(self, kinds: int, pieces: int, width: int = 32) -> None:
        super().__init__()
        self.stem = Conv(3, width, stride=2, kernel=6)
        self.body = nn.Sequential(
            Conv(width, 2 * width, stride=2),
            Residual(2 * width),
            Conv(2 * width, 4 * width, stride=2),
            Residual(4 * width),
            Residual(4 * width),
            nn.Dropout2d(0.1),
        )
        self.squeeze = nn.Conv2d(4 * width, 24, 1)
        self.head = nn.Linear(8 * width + 24 * 64, locate_heads(kinds, pieces)["gems"].stop)

    def forward(self, x: Tensor) -> Tensor:
        features = self.body(self.stem((x - PIXEL_MEAN) / PIXEL_DEVIATION))
        middle, strongest = features[:, :, 2:6, 2:6].mean((2, 3)), features.amax((2, 3))
        result: Tensor = self.head(torch.cat([middle, strongest, self.squeeze(features).flatten(1)], 1))
        return result


class EncoderLayer(nn.Module):
    """A transformer layer with normalisation first (Xiong et al., 2020): (batch, n, width), as input and output.

    torch's own layer is exported for one number of tiles only.
    """

    def __init__(self, width: int, heads: int = 4, dropout: float = 0.1) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project_in, self.project_out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(2 * width, width)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, is_padding: Tensor | None = None) -> Tensor:
        qkv = self.project_in(self.norm1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        attention_mask = None if is_padding is None else ~is_padding[:, None, None]
        dropout = self.dropout.p if self.training else 0.0
        attention = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], attention_mask, dropout)
        x = x + self.dropout(self.project_out(attention.transpose(1, 2).flatten(2)))
        result: Tensor = x + self.dropout(self.mlp(self.norm2(x)))
        return result


class ContextNet(nn.Module):
    """Context network: tiles of a photo as log-probabilities (batch, n, kinds) and colours (batch, n, 6) -> the first.

    A transformer encoder without positions (Vaswani et al., 2017). It starts as the identity and learns a correction.
    `is_padding` is (batch, n).
    """

    def __init__(self, kinds: int, width: int = 64, layers: int = 2) -> None:
        super().__init__()
        self.colour_mean = nn.Buffer(torch.zeros(COLOUR_FEATURES))
        self.colour_deviation = nn.Buffer(torch.ones(COLOUR_FEATURES))
        self.embed = nn.Linear(2 * kinds + 2 * COLOUR_FEATURES, width)
        self.layers = nn.ModuleList(EncoderLayer(width) for _ in range(layers))
        self.head = nn.Linear(width, kinds)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, log_probs: Tensor, colours: Tensor, is_padding: Tensor | None = None) -> Tensor:
        colour = (colours - self.colour_mean) / self.colour_deviation
        present = torch.ones_like(colour[..., :1]) if is_padding is None else (~is_padding).to(colour.dtype)[..., None]
        relative = colour - (colour * present).sum(1, keepdim=True) / present.sum(1, keepdim=True)
        clipped_log_probs = log_probs.clamp(min=MIN_LOG_PROBABILITY)
        x = self.embed(torch.cat([clipped_log_probs / 4, log_probs.exp(), colour, relative], -1))
        for layer in self.layers:
            x = layer(x, is_padding)
        result: Tensor = torch.log_softmax(log_probs + self.head(x), -1)
        return result


class ContextForPhoto(nn.Module):
    """The context network as the runtime calls it: all tiles of one photo, (n, kinds) and (n, 6).

    The network's output is cooled and mixed with the tile's own evidence, so that no terrain becomes less than a tenth
    as likely as it was. Only the terrain changes: other tiles tell nothing about the crowns of a tile.
    """

    def __init__(self, net: ContextNet, temperature: float, kinds: Sequence[str]) -> None:
        super().__init__()
        self.net, self.temperature = net, temperature
        has_same_terrain = [[float(kind[0] == other[0]) for other in kinds] for kind in kinds]
        self.same_terrain = nn.Buffer(torch.tensor(has_same_terrain))

    def forward(self, log_probs: Tensor, colours: Tensor) -> Tensor:
        cooled_probs = torch.softmax(self.net(log_probs[None], colours[None])[0] / self.temperature, -1)
        own_terrain = log_probs.exp() @ self.same_terrain
        gain = (1 - OWN_EVIDENCE_SHARE) * (cooled_probs @ self.same_terrain) / own_terrain + OWN_EVIDENCE_SHARE
        result: Tensor = log_probs + torch.log(gain)
        return result
