"""The workshop: pictures to train on, training, and measuring. Nothing outside imports it; only here may torch appear."""
