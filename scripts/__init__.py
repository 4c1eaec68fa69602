"""Scripts for work on the repository."""
