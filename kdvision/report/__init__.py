"""Makers of text, data and pictures from scored kingdoms. They return what they make; doors print and write."""
