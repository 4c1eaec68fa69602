"""The fitted weights of the evidence for tiles and for hidden tiles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdvision.lab.calibrate.tiles import HIDDEN_TILE_COST, fit_occlusion_weights, fit_tile_weights


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_the_true_tile_weights_are_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = rng.normal(0, 2, (4000, 3))
    is_tile = rng.random(4000) < 1 / (1 + np.exp(-(features @ (0.5, 0.3, 1.5) - 1.0)))
    features[:400, 2] = np.nan
    parameters = fit_tile_weights(np.column_stack([features, is_tile]))
    assert parameters["tile_weights"] == pytest.approx([0.5, 0.3, 1.5, -1.0], abs=0.4)
    rates = parameters["tile_errors"]
    assert isinstance(rates, dict) and rates["all"] < rates["both"] < rates["cells"] + 0.05


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_a_hidden_tile_costs_more_than_a_needless_warning(seed: int) -> None:
    """One missed tile costs eight warnings, so a warning is due from one hidden tile in nine equal cells on."""
    rng = np.random.default_rng(seed)
    features = rng.normal(0, 1, (6000, 6))
    log_odds = features @ (1.5, 1.0, 0.5, 0.0, 0.5, 1.0) - 2.0
    parameters = fit_occlusion_weights(np.column_stack([features, rng.random(6000) < 1 / (1 + np.exp(-log_odds))]))
    weights = parameters["occlusion_weights"]
    assert isinstance(weights, list)
    assert weights == pytest.approx([1.5, 1.0, 0.5, 0.0, 0.5, 1.0, np.log(HIDDEN_TILE_COST) - 2.0], abs=0.35)
