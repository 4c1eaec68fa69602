"""From pixels to boards: `find.py` calls the stages in turn."""
