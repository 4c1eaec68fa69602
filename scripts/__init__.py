"""Repository chores."""
