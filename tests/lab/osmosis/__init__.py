"""Real `osmosis eval run` calls (osmosis-ai 0.3.8) against a scripted model on loopback, one injected fault each."""
