"""How sure a board is: warnings, calibration, diagnosis."""
