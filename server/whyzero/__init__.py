"""whyzero tells why an agent rollout failed or scored zero, with evidence."""

__version__ = "0.1.0"
