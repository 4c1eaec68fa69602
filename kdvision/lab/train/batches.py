"""What training draws from the examples: pieces of scenes for the finder, batches of crops for the cell network."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from kdvision.lab.train.examples import PIECES, TILE_KINDS, CellExamples, SceneExample
from kdvision.lab.train.targets import cell_batch, finder_sample


class ScenePieces(Dataset[tuple[Tensor, Tensor]]):
    """Random pieces of rendered scenes, two in turn from each; piece number n is always the same one."""

    def __init__(self, scenes: list[SceneExample], *, seed: int, length: int, size: int) -> None:
        self.scenes, self.seed, self.length, self.size = scenes, seed, length, size
        self.last: tuple[int, npt.NDArray[np.uint8]] | None = None

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, n: int) -> tuple[Tensor, Tensor]:
        rng = np.random.default_rng((self.seed, 11, n))
        number = int(np.random.default_rng((self.seed, 12, n // 2)).integers(len(self.scenes)))
        if self.last is None or self.last[0] != number:  # decoding costs more than cutting
            self.last = (number, self.scenes[number].photo())
        piece, target = finder_sample(self.last[1], self.scenes[number].quads, rng, size=self.size)
        return torch.from_numpy(piece.transpose(2, 0, 1).copy()), torch.from_numpy(target)


class CellBatches(Dataset[tuple[Tensor, ...]]):
    """Whole batches of crops, rare kinds more often than they lie on tables; batch number n is always the same."""

    def __init__(self, examples: CellExamples, *, seed: int, length: int, batch: int) -> None:
        self.examples, self.seed, self.length, self.batch = examples, seed, length, batch
        bare, gem = len(TILE_KINDS), len(TILE_KINDS) + len(PIECES)
        groups = np.where(examples.tile > 0, examples.kind, bare)
        groups = np.where(examples.piece > 0, bare + examples.piece, groups)
        groups = np.where((examples.gems > 0).any(axis=1), gem, groups)
        counts = np.bincount(groups, minlength=gem + 1).astype(float)
        weight = np.maximum(counts, 1.0) ** -0.5
        weight[bare] *= 1.5  # bare table is where most errors are made
        self.odds = np.cumsum(weight[groups]) / weight[groups].sum()

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, n: int) -> tuple[Tensor, ...]:
        rng = np.random.default_rng((self.seed, 13, n))
        picks = np.searchsorted(self.odds, rng.random(self.batch))
        e = self.examples
        crops, partner, gems = cell_batch(e.crops[picks], e.partner[picks], e.gems[picks], rng)
        labels = (e.kind[picks], e.tile[picks], e.hidden[picks], partner, e.piece[picks], gems)
        return torch.from_numpy(crops.transpose(0, 3, 1, 2).copy()), *(torch.from_numpy(label) for label in labels)


def batches(data: Dataset[tuple[Tensor, ...]], *, batch: int | None) -> Iterator[tuple[Tensor, ...]]:
    """Yield the data in order, in batches of so many; None for data that are batches already."""
    yield from DataLoader(data, batch_size=batch, shuffle=False, num_workers=1, prefetch_factor=8)
