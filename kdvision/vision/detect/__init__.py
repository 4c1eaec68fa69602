"""From a photo to cell grids: detections, neighbour graph, lattices, refinement."""
