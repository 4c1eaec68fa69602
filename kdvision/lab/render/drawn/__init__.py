"""Drawn tiles, made from a seed without any file; `tiles.DrawnArt` is the entry point."""
