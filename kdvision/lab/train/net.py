"""The networks, in torch: the finder sees where squares lie, the cell network reads one, the context network all."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

FINDER_STRIDE = 8
FINDER_OUTPUTS = 8
"""Per output pixel: square or not, offset to its centre (2), log size, direction (2), skew (2); see `vision.finder`."""

PARTNERS = 4
"""Which neighbour is the other half of the same domino: right, down, left, up."""
CORNERS = 4
"""Corners of a square that a gem may lie on: top left, top right, bottom right, bottom left."""
COLOURS = 6
"""Mean and standard deviation of a square's colours; see `vision.context`."""
BY_ITSELF = 0.1
"""The share of the tiles of which the context network is taken to know no more than what they show by themselves."""
LEAST_LIKELY = -12.0
"""Log-probabilities below this are all the same: impossible."""


class Conv(nn.Sequential):
    """3x3 convolution, batch norm, ReLU."""

    def __init__(self, inputs: int, outputs: int, *, stride: int = 1, kernel: int = 3) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
        )


class Residual(nn.Module):
    """Two convolutions beside a straight path (He et al., 2016)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = Conv(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.second(self.first(x)))


class FinderNet(nn.Module):
    """Photo (n, 3, H, W), 0 to 1 -> (n, 8, H/8, W/8). H and W are multiples of 32.

    An encoder down to 1/32, which sees several squares at once, and a way back up to 1/8 (Lin et al., 2017).
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
        self.head = nn.Sequential(Conv(width, width), nn.Conv2d(width, FINDER_OUTPUTS, 1))

    def forward(self, x: Tensor) -> Tensor:
        eighth = self.eighth(self.stem((x - 0.45) / 0.27))
        sixteenth = self.sixteenth(eighth)
        deep = self.thirtysecond(sixteenth)
        middle = self.merge_middle(sixteenth + F.interpolate(self.up_deep(deep), scale_factor=2.0, mode="nearest"))
        fine = self.merge(eighth + F.interpolate(self.up_middle(middle), scale_factor=2.0, mode="nearest"))
        result: Tensor = self.head(fine)
        return result


class CellNet(nn.Module):
    """Crops (n, 3, 64, 64), 0 to 1, the square in the middle 40 pixels -> one row of logits a crop.

    The row holds the kinds of tile, then: a tile or none; hidden or seen; which neighbour is the domino's other half;
    which piece lies on it; on which corners a gem does.
    Pixels come in fours (Shi et al., 2016): at full size, convolutions cost most and tell least.
    """

    def __init__(self, kinds: int, pieces: int, width: int = 32) -> None:
        super().__init__()
        self.kinds, self.pieces = kinds, pieces
        self.body = nn.Sequential(
            nn.PixelUnshuffle(2),
            Conv(12, width),
            Conv(width, 2 * width, stride=2),
            Residual(2 * width),
            Conv(2 * width, 4 * width, stride=2),
            Residual(4 * width),
            Residual(4 * width),
            nn.Dropout2d(0.1),
        )
        self.squeeze = nn.Conv2d(4 * width, 24, 1)
        self.head = nn.Linear(8 * width + 24 * 64, kinds + 2 + PARTNERS + pieces + CORNERS)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.head(_pooled(self.body((x - 0.45) / 0.27), self.squeeze))
        return result


def _pooled(features: Tensor, squeeze: nn.Module) -> Tensor:
    """What the features (n, channels, 8, 8) of crops say in the middle, anywhere, and at each place: a row for each."""
    inner, everywhere = features[:, :, 2:6, 2:6].mean((2, 3)), features.amax((2, 3))
    return torch.cat([inner, everywhere, squeeze(features).flatten(1)], 1)


class ContextNet(nn.Module):
    """Tiles of a photo, (batch, n, kinds) log-probabilities and (batch, n, 6) colours -> better log-probabilities.

    Each tile attends to all others (Vaswani et al., 2017), in no order. What it adds is nothing before training, so
    that it learns what to change of what the cell network says. `missing` (batch, n) are places without a tile.
    """

    def __init__(self, kinds: int, width: int = 64, layers: int = 2) -> None:
        super().__init__()
        self.middle = nn.Buffer(torch.zeros(COLOURS))
        self.spread = nn.Buffer(torch.ones(COLOURS))
        self.begin = nn.Linear(2 * kinds + 2 * COLOURS, width)
        self.layers = nn.ModuleList(Attending(width) for _ in range(layers))
        self.end = nn.Linear(width, kinds)
        nn.init.zeros_(self.end.weight)
        nn.init.zeros_(self.end.bias)

    def forward(self, log_probs: Tensor, colours: Tensor, missing: Tensor | None = None) -> Tensor:
        own = (colours - self.middle) / self.spread
        there = torch.ones_like(own[..., :1]) if missing is None else (~missing).to(own.dtype)[..., None]
        beside = own - (own * there).sum(1, keepdim=True) / there.sum(1, keepdim=True)
        said = [log_probs.clamp(min=LEAST_LIKELY) / 4, log_probs.exp(), own, beside]
        x = self.begin(torch.cat(said, -1))
        for layer in self.layers:
            x = layer(x, missing)
        result: Tensor = torch.log_softmax(log_probs + self.end(x), -1)
        return result


class OfOnePhoto(nn.Module):
    """The context network as the runtime asks it: all tiles of one photo, (n, kinds) and (n, 6), kinds in notation.

    What it says is cooled, and mixed with what it was given. So no terrain becomes less than a tenth as likely as the
    square shows it by itself: else neither the deck nor what a person says of its other half could mend a square. It
    is asked for the terrain alone. Crowns are counted on each square: others do not know how many there are.
    """

    def __init__(self, net: ContextNet, temperature: float, kinds: Sequence[str]) -> None:
        super().__init__()
        self.net, self.temperature = net, temperature
        self.same = nn.Buffer(torch.tensor([[float(one[0] == other[0]) for other in kinds] for one in kinds]))

    def forward(self, log_probs: Tensor, colours: Tensor) -> Tensor:
        cooled = torch.softmax(self.net(log_probs[None], colours[None])[0] / self.temperature, -1)
        alone = log_probs.exp() @ self.same
        result: Tensor = log_probs + torch.log((1 - BY_ITSELF) * (cooled @ self.same) / alone + BY_ITSELF)
        return result


class Attending(nn.Module):
    """A layer of a transformer, normalised first (Xiong et al., 2020): (batch, n, width) -> the same."""

    def __init__(self, width: int, heads: int = 4, dropout: float = 0.1) -> None:
        super().__init__()
        self.heads, self.each = heads, width // heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.asked = nn.Linear(width, 3 * width)
        self.joined = nn.Linear(width, width)
        self.after = nn.Sequential(
            nn.Linear(width, 2 * width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(2 * width, width)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, missing: Tensor | None = None) -> Tensor:
        x = x + self.dropout(self.joined(self._attended(self.before(x), missing)))
        result: Tensor = x + self.dropout(self.after(self.between(x)))
        return result

    def _attended(self, x: Tensor, missing: Tensor | None) -> Tensor:
        query, key, value = (
            part.unflatten(-1, (self.heads, self.each)).transpose(1, 2) for part in self.asked(x).chunk(3, -1)
        )
        likeness = query @ key.transpose(2, 3) / self.each**0.5
        if missing is not None:
            likeness = likeness.masked_fill(missing[:, None, None], -1e9)
        told: Tensor = self.dropout(torch.softmax(likeness, -1)) @ value
        return told.transpose(1, 2).flatten(2)
