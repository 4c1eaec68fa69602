"""Pictures of tiles: from a data folder, cut out of photos, or drawn."""
