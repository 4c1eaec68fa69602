"""Training, quantisation and export of the networks."""
