"""Training of the networks: `python -m kdvision.lab.train` runs all steps, `python -m kdvision.lab.train STEP` one.

| step | writes | learns from | training | in all |
|---|---|---|---|---|
| detector | detector.onnx (square detector) | 28,000 rendered scenes, seeds 1 to 6 | 2.2 h | 4.2 h |
| cells | cells.onnx (cell network) | these, 6,600 scenes with pieces, crops of photos | 8.7 h | 9.1 h |
| quantise | both again, in eight bits | 96 rendered scenes, from seeds 7,000,000 and 8,000,000 | 5 min | 5 min |
| context | context.onnx (re-scores tiles) | 7,400 scenes read by both, from seed 9,200,000 | 5 min | 1.6 h |
| player-colour | player_colour.json | 1,800 rendered castle squares, seed 12 | 1 min | 4 min |

Durations are for two idle cores and no GPU: of the training alone, and with the rendering of scenes. Those of detector
and cells are estimates: four courses were timed, and the others count by their steps and scenes. With AVX-512 the
sixth course of cells took 25 minutes, a third of the estimate. Rendered scenes are kept in `--work` until the program
or the data change; cells uses those of the detector, and takes 1.8 h longer if it has to render them. The shipped cell
network has had all six courses, the detector the first three.

Where there is a GPU, the networks train on it, and `--workers` processes render and prepare batches. `--continue`
trains the last course alone, from the weights of the model files; quantise and calibration follow, as below.

`image_networks.py` holds detector and cells, and each other step has a module of its own. Seeds and amounts are
constants in these modules.

After a change of one network, run the steps that depend on it, and then the calibration (`kdvision.lab.calibrate`):

    python -m kdvision.lab.train detector quantise context && python -m kdvision.lab.calibrate
    python -m kdvision.lab.train cells quantise && python -m kdvision.lab.calibrate
    python -m kdvision.lab.train context && python -m kdvision.lab.calibrate
    python -m kdvision.lab.train player-colour

The context network need not be trained again after the cell network: the shipped one was not. On tiles of the
cell network before its last course, it had a lower log loss than one trained on them.

`make model` runs everything: about 15 h of training and 90 min of calibration. Equal seeds give equal weights on one
machine and one version of torch; other processors round differently. Photos are split into training and held-out
photos as a whole, never by square (`crop_folder.py`).
"""
