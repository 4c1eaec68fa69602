"""The page at the table and its API: `kdvision serve`. What a phone sends is read, answered and forgotten."""
