"""Simulated play: drafts, boards and pieces as players lay them."""
