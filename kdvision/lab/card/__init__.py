"""The model card and its plots."""
