"""`kdvision evaluate`: labelled photos, corruptions, matching, summaries."""
