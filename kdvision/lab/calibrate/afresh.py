"""Is the calibration right on scenes it was not fitted on? `python -m kdvision.lab.calibrate.afresh --work DIR`.

Other rendered scenes, dealt and photographed as those of the calibration are, go through the runtime with the shipped
models as they are; nothing is fitted. Written are the same tables: what is flagged, what could be accepted at what
precision, and how far each kind of probability can be believed. DIR keeps what was seen, so that a run that was stopped
goes on where it was.
"""

from __future__ import annotations

import argparse
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from kdvision.files import write_atomically
from kdvision.lab.calibrate import believed, heads, rehearsal
from kdvision.lab.calibrate.calibrate import judged_of
from kdvision.vision.assess.calibration import Calibration
from kdvision.vision.networks.cells import CellClassifier
from kdvision.vision.networks.onnx import load_model

FIRST: Final = 5 * rehearsal.STREAM


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--scenes", type=int, default=2000)
    parser.add_argument("--work", type=Path, required=True, help="what is seen on each scene is kept here")
    parser.add_argument("--results", type=Path, default=Path("models/results"))
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    calibration = Calibration(**CellClassifier(load_model("cells", 1)).model.about["boards"])
    scenes = range(FIRST, FIRST + given.scenes)
    with get_context("spawn").Pool(given.workers, rehearsal.start, (given.data,)) as pool:
        each = list(pool.imap(partial(rehearsal.boards, kept=given.work), scenes, chunksize=4))
    judged = judged_of([board for boards in each for board in boards], calibration)
    believed.write_by_art(given.results / "calibration-other-scenes.csv", judged, sure=calibration.sure)
    text = heads.table(heads.heads(heads.kept(given.work), calibration))
    write_atomically(given.results / "calibration-other-scenes-heads.csv", text.encode())
    print((given.results / "calibration-other-scenes.csv").read_text("utf-8"), text, sep="\n")


if __name__ == "__main__":
    main()
