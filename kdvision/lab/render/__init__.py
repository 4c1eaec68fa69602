"""Rendered tables with known contents."""
