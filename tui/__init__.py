"""The screen and the command line. No SQL here: everything goes through store.library."""
