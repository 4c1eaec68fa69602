"""The photos of `samples/`: contents, seeds, camera and light of each."""

from dataclasses import dataclass

from kdvision.lab.render.light import PhotoFactors
from kdvision.lab.render.objects import held_out_tops
from kdvision.lab.render.objects.surface import TableTop

FAIR_FACTORS = PhotoFactors(light=0.12, glare=0.0, blur=0.1, noise=0.15, jpeg=0.1)


@dataclass(frozen=True)
class Shot:
    """One sample photo: game, layout of the kingdoms, camera and light."""

    name: str
    description: str
    seed: int  # of the game and the layout
    table_top: TableTop
    light_seed: int = 0  # seed of the light, the table and the camera's noise
    kingdoms: int = 1
    game: str = ""  # a game of `game_pieces.DECKS` with its pieces; "" for plain Kingdomino
    side: int = 5
    holes: range = range(1)  # number of empty squares
    castles: bool = False
    objects: tuple[str, ...] = ()  # other objects: names in `scenes.OTHER_OBJECTS`, or "unbuilt"
    margin: float = 1.2  # width of the table around the kingdoms that objects may use, in squares
    tilt: float = 20.0  # degrees from straight above
    azimuth: float = 90.0  # degrees; 90 looks from the bottom edge of the table
    fill: float = 0.8
    turn: float = 3.0  # rotation of the kingdom in degrees
    factors: PhotoFactors = FAIR_FACTORS
    lamp: tuple[float, float, float] = (-0.5, -0.4, 1.0)


SHOTS = (
    Shot("demo", "a finished 5x5 kingdom on oak", 4, held_out_tops.oak, 4, tilt=24),
    Shot(
        "seven",
        "a 7x7 kingdom of the Mighty Duel on linen",
        2,
        held_out_tops.linen,
        side=7,
        holes=range(3),
        tilt=15,
        azimuth=70,
        turn=-4,
        fill=0.9,
    ),
    Shot(
        "holes",
        "a kingdom with gaps, on a checked cloth",
        8,
        held_out_tops.gingham,
        4,
        holes=range(4, 9),
        objects=("face-down dominoes",),
        tilt=18,
        azimuth=110,
        turn=5,
    ),
    Shot(
        "castle",
        "a castle on its tile, wooden pieces beside it",
        9,
        held_out_tops.felt,
        10,
        castles=True,
        objects=("figures",),
        tilt=30,
        azimuth=60,
        turn=-7,
    ),
    Shot(
        "two-kingdoms",
        "two kingdoms",
        5,
        held_out_tops.oak,
        5,
        kingdoms=2,
        holes=range(6),
        castles=True,
        objects=("figures",),
        tilt=25,
        azimuth=95,
        fill=0.92,
    ),
    Shot(
        "four-kingdoms",
        "a finished game of four",
        6,
        held_out_tops.stone,
        2,
        kingdoms=4,
        holes=range(10),
        tilt=14,
        azimuth=80,
        fill=0.92,
    ),
    Shot(
        "hard-light",
        "uneven light, reflections, the shadow of a hand",
        4,
        held_out_tops.felt,
        10,
        holes=range(3),
        tilt=22,
        azimuth=120,
        factors=PhotoFactors(light=0.6, glare=0.75, blur=0.15, noise=0.3, jpeg=0.2),
    ),
    Shot(
        "oblique",
        "the view from a player's chair",
        7,
        held_out_tops.oak,
        holes=range(3),
        objects=("figures", "figures"),
        margin=1.6,
        tilt=50,
        azimuth=75,
        turn=12,
        fill=0.72,
    ),
    Shot(
        "queendomino",
        "Queendomino: towns, buildings, knights",
        24,
        held_out_tops.oak,
        4,
        game="queendomino",
        holes=range(5),
        objects=("unbuilt",),
        azimuth=80,
        turn=-5,
    ),
    Shot(
        "lost-treasures",
        "gems of The Lost Treasures",
        89,
        held_out_tops.stone,
        2,
        game="lost-treasures",
        holes=range(3),
        tilt=22,
        azimuth=100,
        turn=6,
    ),
    Shot(
        "no-kingdom",
        "cards face down and pieces, no kingdom",
        5,
        held_out_tops.linen,
        4,
        kingdoms=0,
        objects=("face-down dominoes", "figures", "household objects", "figures", "household objects", "paper"),
        margin=3.5,
        tilt=30,
        fill=0.9,
    ),
)
