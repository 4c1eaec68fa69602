"""Game files: reading, checking and writing games as TOML text."""
