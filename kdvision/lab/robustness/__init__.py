"""Fuzzing, hostile files, soak tests."""
