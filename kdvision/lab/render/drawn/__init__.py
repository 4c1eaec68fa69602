"""Our own drawn tiles, made from a seed with no file behind them; start reading at `tiles.DrawnArt`."""

from kdvision.lab.render.drawn.tiles import DrawnArt, draw_domino

__all__ = ["DrawnArt", "draw_domino"]
