"""A two-turn tool call against a provider: the one experiment that tells harness, credential, provider and model apart."""
