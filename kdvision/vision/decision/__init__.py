"""The search behind `decide`: what could lie there, bounds on it, the likeliest boards and their nearest rivals."""
