"""Everything below the screen: reading stores, indexing, searching. Imports no screen code."""
