"""Timings of the program and its parts."""
