"""The sources that plots name."""

import re


def get_source(svg: str) -> str | None:
    """Return the source that an SVG names; None for a plot that names none."""
    found = re.search(r"<dc:source>\s*([^<]*?)\s*</dc:source>", svg)
    return found[1] if found else None
