"""Laboratories: the real tools, one injected fault a run, nothing beyond loopback but package installation."""
