"""The workshop: pictures to train on, training, measuring. Nothing outside imports it; only here may torch appear."""
