"""The simulation of what the deck mends prints what it measured."""

from kdvision.lab.experiments.simulate import HEAD, SCENES, rows


def test_a_row_tells_squares_and_boards_before_and_after() -> None:
    ((name, *words),) = rows(SCENES[1:2], photos=6)
    row = dict(zip(HEAD[1:], words, strict=True))
    assert name == "one 5x5, 98 %"
    assert float(row["squares after"]) >= float(row["squares before"]) > 90
    assert float(row["boards after"]) >= float(row["boards before"])
    assert row["published"] == "64 to 85"
    assert 0 < float(row["median ms"]) <= float(row["worst ms"])
