"""Parts to rows: pure functions, one renderer per part type."""
