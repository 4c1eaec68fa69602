"""The two networks, in torch: the finder sees where squares lie, the cell network reads one square."""

from __future__ import annotations

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
        features = self.body((x - 0.45) / 0.27)
        inner = features[:, :, 2:6, 2:6].mean((2, 3))
        everywhere = features.amax((2, 3))
        placed = self.squeeze(features).flatten(1)
        result: Tensor = self.head(torch.cat([inner, everywhere, placed], 1))
        return result
