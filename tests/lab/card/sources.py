"""The sources that plots name."""

import re


def get_source(svg: str) -> str | None:
    """Return the source that an SVG names; None for a plot that names none."""
    match = re.search(r"<dc:source>\s*([^<]*?)\s*</dc:source>", svg)
    return match[1] if match else None
