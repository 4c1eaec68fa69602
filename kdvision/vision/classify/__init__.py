"""What each cell of a grid shows: class probabilities, background, occlusion, pieces."""
