"""The paragraphs of the model card that no run changes."""

from typing import Final

HEAD: Final = """\
# The models

`python -m kdvision.lab.card.card` wrote this page from the model files and from `results/`; changes by hand do not last.

- **finder**: where squares lie in a photo, which way they lie, how large they are. One vote for every 8 x 8 pixels; the
  photo is seen whole first, then each kingdom straightened out.
- **cells**: what one square shows: its kind (terrain and crowns, a town, or a castle), a tile or none, hidden or seen,
  in which direction the domino's other half lies, which piece stands or lies on it (a knight, a tower, the Queen, a
  finished building), and on which of its corners a gem lies.
- **context**: which terrain each tile is beside all others of the photo, which lie in the same light and come from the
  same box. It is given what `cells` says of every tile of the kingdoms, and their colours, in no order.
- **glare**: whether a tile lies where a lamp leaves nothing but white; it is asked about such places alone, and goes on
  from the convolutions of `cells`.

Everything after them is no network: the lattice, and the decision for the likeliest boards that the box can lay."""

DATA: Final = """\
## Data and splits

| what | used for | split |
|---|---|---|
| rendered tables, from seeds | training finder and cell network | scenes of the training's own stream of seeds |
| such tables full of shapes and colours, of more drawn boxes | training finder and cell network | another stream |
| such tables in hard or coloured light | training finder and cell network, second course | another stream |
| such tables on which hands and things lie | training finder and cell network, third course | another stream |
| such tables of Queendomino, the Royal Wedding and The Lost Treasures | training the cell network | another stream |
| tables as those two see them, half in hard light | training the context network | another stream, its own boxes |
| such tables, held out | its errors and temperature | another stream, other boxes; crops of photos held out |
| tables that mirror a lamp, whose kingdoms have gaps | training the glare network | another stream |
| such tables under more lamps, held out | its errors and weights | two streams; for weights crops held out |
| rendered tables, held out | the figures on examples held out, temperatures | another stream of seeds |
| rendered tables, for calibration | how far whole boards can be believed | a third stream; crops of photos held out |
| such tables with hands and things, for calibration | what hides a tile, signs of it | two streams; crops held out |
| crops of photographed tiles | training the cell network, and as art of rendered tables | by photo: 85 % for training |
| photos and straightened boards | measuring only | never trained on, by no network |

Rendered tables show kingdoms from simulated games, in photographed and scanned dominoes, in crops of photographed tiles
and in drawn art of our own, with pieces, clutter, light, shadow, glare, lens and camera. A table of crops shows those
of one photo, and where it lacks a kind, those of photos whose terrains are coloured most like its own. Squares of one
photo are one sample: crops are split by the photo they come from, and held out are only those of photos of which no
copy was trained on. Thirty crops lie in folders of another kind than they show (`crop_folder.MISLABELLED`, settled by
eye); they are trained on and measured as what they show. Some squares of Queendomino's dominoes got other numbers of
crowns than they were printed with, so that crowns are counted and not guessed from the house
(`kdvision/lab/recrowned.py`). Four towns, twelve buildings and the Queen were cut from photos of Queendomino's pieces
(`kdvision/lab/queendomino_art.py` holds the corners), never from those of the kingdom that is measured on; of gems
there was no picture, so all are drawn, in wide variety. The pictures belong to others and are no part of this
repository."""

LIMITS: Final = """\
## Limits

- The photos measured on were looked at while the program was written, so they are no blind test. They show few rooms,
  tables, cameras and lights; 23 of them show one kingdom growing.
- Kingdomino's and Queendomino's own art, as printed. Other printings were not measured. Queendomino was measured on
  three photos of one kingdom, besides rendered tables; gems on rendered tables alone.
- Held-out figures come from pictures made as those of training were; real photos are harder.
- The probabilities were calibrated on rendered tables. How far that carries over, "flagged", "needlessly" and "wrong,
  no warning" show. Temperature, threshold, and the weights of strain, of small squares and of signs that something was
  missed were fitted on the very boards that the calibration tables show, but not on those of other scenes. That one
  real kingdom in ten is laid against a rule of play is assumed, and that one table in twenty has hands or things about
  (`lab/calibrate.py`).
- Boards were calibrated before there was a glare network. It changes white places alone, of which calibration's scenes
  show few: of the rendered scenes with every dial turned, not one was read otherwise with it.
- Errors on examples held out are of the networks as trained, before they were put in whole numbers."""

REPRODUCE: Final = """\
## Making them again

`make model` renders the scenes, trains finder and cell network one after the other, then the glare network on from the
cell network and the context network on what the first two see, calibrates them and writes this page. The first two are
trained in three courses: the later two are short, at a low rate, on scenes of other seeds. Two CPU cores are enough.
The shipped networks of seed 1 went through the third later than through the others, from the weights in their files
(`kdvision.lab.train.train --on-from models`).
Everything random comes from the seed: on one machine and one version of torch equal seeds give equal weights; other
processors round differently. To train another seed beside the shipped one, and to measure it:

```
python -m kdvision.lab.train.train --seed 2 --out out/seed2
KDVISION_MODELS=out/seed2 python -m kdvision.lab.train.quantise
KDVISION_MODELS=out/seed2 python -m kdvision.lab.glare --seed 2 --out out/seed2 --work out/seed2/work
KDVISION_MODELS=out/seed2 python -m kdvision.lab.train.context --seed 2 --out out/seed2 --work out/seed2/work
KDVISION_MODELS=out/seed2 python -m kdvision.lab.calibrate.calibrate
KDVISION_MODELS=out/seed2 kdvision evaluate ../shared/data/photos --csv models/results/photos-seed2.csv
KDVISION_MODELS=out/seed2 kdvision evaluate ../shared/data/boards --csv models/results/boards-seed2.csv
cp out/seed2/results/*-seed2.json models/results
python -m kdvision.lab.card.card
```

The other figures, and their plots:

```
kdvision evaluate ../shared/data/photos --stress --workers 2 --csv models/results/stress-seed1.csv
kdvision evaluate ../shared/data/photos --stress --seed 1 --seed 2 --seed 3 --csv models/results/stress-again-seed1.csv
python -m kdvision.lab.experiments.dials --workers 2 --scenes 3 --anything 300
python -m kdvision.lab.experiments.dials --workers 2 --art scans --dials anything --anything 150
python -m kdvision.lab.calibrate.calibrate --boards-only --work out/seen --results models/results
python -m kdvision.lab.calibrate.heads --work out/seen --results models/results
python -m kdvision.lab.calibrate.afresh --work out/seen-afresh
python -m kdvision.lab.experiments.ablate --results models/results
python -m kdvision.lab.experiments.simulate --csv models/results/simulation.csv
python -m kdvision.lab.experiments.invented --workers 2
python -m kdvision.lab.experiments.mixed
python -m kdvision.lab.experiments.covered
python -m kdvision.lab.experiments.covered --art scans
python -m kdvision.lab.experiments.covered --photos
python -m kdvision.lab.experiments.recoloured
python -m kdvision.lab.experiments.pieces_found --workers 2
python -m kdvision.lab.experiments.crops --csv models/results/misread-crops.csv
python -m kdvision.lab.train.train --only finder --without wood --out out/without-wood
KDVISION_MODELS=out/without-wood kdvision evaluate ../shared/data/photos --csv models/results/without-wood.csv
python -m kdvision.lab.card.plots
python -m kdvision.lab.card.card
```"""
