"""Formats we read, and the way from a path to a `Run`. Detection looks at content, never at folder names."""
