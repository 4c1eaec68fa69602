"""Several photos of one kingdom: registration and fusion."""
