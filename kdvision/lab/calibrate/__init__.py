"""Calibration of the shipped models on rendered tables."""
