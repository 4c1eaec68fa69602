"""`kdvision evaluate`: labelled photos, corruptions, matching and the metrics that come out."""
