"""The command line without a screen: arguments in, text or JSON out."""
