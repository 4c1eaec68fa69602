"""Where the pictures of rendered tiles come from."""
