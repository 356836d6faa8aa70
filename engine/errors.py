"""Every error the engine raises, as one tree.

    VerdictError
    ├── ConfigError            the platform owner must mend configuration, a file or an argument
    │   └── IncidentError      an incident folder is not as interfaces.md describes it
    ├── ToolError              a tool call gave no result; says who may act
    │   ├── BadArguments       the caller (a model) may call again, better: the message lists what exists
    │   └── SourceUnavailable  the source is down, slow or refused: a gap, nothing a model can mend
    ├── ModelError             a model gave no usable reply
    │   ├── BadModelOutput     it replied, but not within the contract
    │   └── ModelUnavailable   it did not reply; `retryable` says whether asking again may help
    ├── StoreError             the database could not be read or written
    └── UnknownRun             no run has that id

Messages name the place and the remedy. They never hold a secret, nor unbounded foreign text.
"""

from engine.budget import Usage

__all__ = [
    "BadArguments",
    "BadModelOutput",
    "ConfigError",
    "IncidentError",
    "ModelError",
    "ModelUnavailable",
    "SourceUnavailable",
    "StoreError",
    "ToolError",
    "UnknownRun",
    "VerdictError",
]


class VerdictError(Exception):
    """Root of all errors of the engine; `str(error)` is one line that may be shown."""


class ConfigError(VerdictError):
    """Configuration, a file or an argument is wrong; the message names the place and the remedy."""


class IncidentError(ConfigError):
    """An incident folder cannot be read; the message names the file, the line where known, and the remedy."""


class ToolError(VerdictError):
    """A tool call gave no result."""


class BadArguments(ToolError):
    """The arguments cannot be used; the message lists what exists, so that the caller may call again."""


class SourceUnavailable(ToolError):
    """The source did not answer, or answered with an error; only its operator can act."""


class ModelError(VerdictError):
    """A model gave no usable reply; `usage` is what the vain tries took."""

    usage: Usage = Usage()


class BadModelOutput(ModelError):
    """A model's reply breaks its contract; `reason` is a short machine-readable name.

    Args:
        reason: such as `not_json`, `wrong_version`, `missing_field`, `wrong_type`, `blank`, `truncated`.
        detail: what was wrong and where, in one bounded line.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class ModelUnavailable(ModelError):
    """A model did not reply: timeout, connection error or a status of its server (reading.md 9)."""

    def __init__(self, detail: str, *, retryable: bool) -> None:
        super().__init__(detail)
        self.retryable = retryable


class StoreError(VerdictError):
    """The database could not be read or written."""


class UnknownRun(VerdictError):
    """No run has that id; `verdict runs` lists the recent ones."""
