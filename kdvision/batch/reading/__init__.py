"""Reads photos: one job for each, in this process, in several, or on a Dask cluster."""
