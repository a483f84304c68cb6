"""The errors."""


class Error(Exception):
    """A question without an answer; the message has the remedy."""


class TableError(Error):
    """A rejected file."""

    def __init__(self, message: str, verdict: str, at: int) -> None:
        super().__init__(message)
        #: The fault, as a word of docs/table.md such as "checksum".
        self.verdict = verdict
        #: The byte at which the fault begins; 0 for the whole file.
        self.at = at
