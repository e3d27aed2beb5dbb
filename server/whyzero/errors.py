"""What a caller can act on.

    WhyzeroError
    ├── PathRefusedError        the path lies outside the allowed roots, or is no file or folder
    ├── UnknownFormatError      nothing we can read lies there
    ├── TrialNotFoundError      the run holds no such trial or row
    └── UsageError              arguments that do not fit together

Every message is written by us, quotes nothing from a log, and says what to do next.
"""


class WhyzeroError(Exception):
    """Base of all planned failures; the CLI exits 2 with the message, MCP answers a ToolError."""


class PathRefusedError(WhyzeroError):
    """The path is missing, outside the allowed roots, or of a kind that is never opened."""


class UnknownFormatError(WhyzeroError):
    """No reader recognises what lies at the path."""


class TrialNotFoundError(WhyzeroError):
    """The run was read and holds no such trial, row or attempt."""


class UsageError(WhyzeroError):
    """The arguments contradict each other or lack a part."""
