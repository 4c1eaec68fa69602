"""What a run stores: the result folder, a record for each photo, and the corrections that people make."""
