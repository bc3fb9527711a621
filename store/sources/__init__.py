"""One file per producer; the only place that knows their tables and JSON."""
