"""From a photo to cell grids: detections, lattices, refinement."""
