"""The page and its API: `kdvision serve`. Photos are read in memory and not kept."""
