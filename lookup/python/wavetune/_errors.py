"""What goes wrong."""


class Error(Exception):
    """A question that has no answer, in a line that says what to do."""


class TableError(Error):
    """A file that is refused."""

    def __init__(self, message: str, verdict: str, at: int) -> None:
        super().__init__(message)
        #: What is wrong with it, in a word of docs/table.md such as "checksum".
        self.verdict = verdict
        #: The byte at which that begins; 0 where it is the whole file.
        self.at = at
