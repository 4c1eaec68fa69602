"""The page and its API: `kdvision serve`. Photos are read in memory, and kept only with `--keep`."""
