"""Real `harbor run` jobs (harbor 0.26.0) without a container engine, with a scripted model on loopback, one fault each."""
