"""Things on rendered tables, and the tables themselves."""
