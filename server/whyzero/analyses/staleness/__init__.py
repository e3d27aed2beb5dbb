"""Parts of `check_staleness`: what a brief says as values, and the four checks on it."""
