"""Calibration of the shipped networks on rendered scenes that no training saw: `python -m kdvision.lab.calibrate`.

The command runs after every change of a network, and is the second to last step of `make model`. It

1. fits the weights of the evidence for a tile in a cell, on `--scenes` / 10 scenes (`tiles.py`);
2. fits the weights of the evidence for a hidden tile, on as many scenes with things on the table (`tiles.py`);
3. decides the boards of `--scenes` fresh scenes, on which no weight is fitted;
4. fits temperature, board weights and warning weights, on `--scenes` scenes without and half as many with things on the
   table, half of all under a corruption (`boards.py`). The review threshold is tested on these and on the fresh boards.
   The promise that `kdvision score` prints counts the wrong fresh boards;
5. writes the reliability tables of the model card (`boards.py`).

Steps 1, 2 and 4 write into the metadata of models/cells.onnx. All scenes come from fixed seeds, so equal networks
give equal results. The observations of steps 3 and 4 are saved in `--work`, in folders named after digests of the data,
and of networks and code: an interrupted run continues after the last 250 scenes, and a change starts anew.

On two cores the command takes about 90 minutes for the default of 4,000 `--scenes`, and less in proportion for fewer.
More scenes tighten the bound on wrong boards, so the threshold can be lower. The shipped networks were calibrated with
`--scenes 3250`, which took 56 minutes.
With too few scenes, no threshold meets the promise and every board is flagged: go on with more `--scenes` and
`--keep-weights`, which skips steps 1 and 2 and observes only the scenes that were added.

To try the command without touching the shipped models, copy them:

    cp -r models /tmp/models
    python -m kdvision.lab.calibrate --scenes 40 --models /tmp/models
"""
