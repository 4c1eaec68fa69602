"""Measurements of the shipped program."""
