"""The eyes: from pixels to boards."""
