"""Reads photos of Kingdomino tables and scores them.

    >>> import kdvision
    >>> kdvision.score(kdvision.Board.parse("w w1 / l #")).total
    2

`read` returns the kingdoms of a photo, `read_views` those in several photos of the same kingdoms; `score` returns the
scorecard of a board. `kdvision/pipeline.py` shows all steps from a photo to its boards. The rules are in
`kdvision/game`, the image recognition is in `kdvision/vision`.

The public names are imported when they are first used, so the rules alone load neither numpy nor a model.
"""

from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kdvision.errors import KdvisionError as KdvisionError
    from kdvision.errors import ModelError as ModelError
    from kdvision.errors import NoKingdomFound as NoKingdomFound
    from kdvision.errors import NotationError as NotationError
    from kdvision.errors import PhotoError as PhotoError
    from kdvision.game.board import Board as Board
    from kdvision.game.board import Cell as Cell
    from kdvision.game.board import Square as Square
    from kdvision.game.board import Terrain as Terrain
    from kdvision.game.scoring import Scorecard as Scorecard
    from kdvision.game.scoring import score as score
    from kdvision.pipeline import KingdomReading as KingdomReading
    from kdvision.pipeline import read as read
    from kdvision.pipeline import read_views as read_views
    from kdvision.vision.detect.outline import KingdomOutline as KingdomOutline
    from kdvision.vision.image.photo import Photo as Photo

__version__ = "0.1.0"

_NAMES: Final = {
    "kdvision.errors": ("KdvisionError", "ModelError", "NoKingdomFound", "NotationError", "PhotoError"),
    "kdvision.game.board": ("Board", "Cell", "Square", "Terrain"),
    "kdvision.game.scoring": ("Scorecard", "score"),
    "kdvision.pipeline": ("KingdomReading", "read", "read_views"),
    "kdvision.vision.detect.outline": ("KingdomOutline",),
    "kdvision.vision.image.photo": ("Photo",),
}
"""The public names of each module."""


def __getattr__(name: str) -> Any:
    for module, names in _NAMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *chain(*_NAMES.values())})
