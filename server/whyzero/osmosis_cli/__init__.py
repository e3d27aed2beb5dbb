"""The `osmosis` program as a source of evidence: found, asked what it can do, called with an allow-list, its answers read."""
