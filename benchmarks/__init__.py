"""Timings and memory of the program and its parts: `python -m benchmarks`."""
