"""A small model server as vendors run them: three protocols, requests checked against their models, whole answers and streams.

What it refuses, it refuses in the protocol's own words. Which model is named decides how the model behaves (`MODELS`).
"""

from .models import MODELS
from .serving import KEY, ModelServer, model_server

__all__ = ["KEY", "MODELS", "ModelServer", "model_server"]
