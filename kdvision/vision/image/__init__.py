"""Photos as pixels: limits, decoding, colour management, the image pyramid."""
