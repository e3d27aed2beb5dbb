"""ZeroBench: runs whose zeros have a known cause, made by code that shares nothing with the detectors."""
