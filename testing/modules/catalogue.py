"""The record of one module, and the notation for its inputs."""

import dataclasses
import re

ENTRIES = []


@dataclasses.dataclass
class Entry:
    """One module of the corpus: its name, its text's maker, and what is known about it by hand."""

    name: str
    source: str
    what: str
    inputs: list
    # Row operations by hand, such as "3 rms_norm, 1 softmax".
    rows: str
    # A function without arguments that returns the module's text.
    text: object
    entry: str

    def row_count(self):
        return sum(int(part.split()[0]) for part in self.rows.split(",")) if self.rows != "-" else 0

    def symbols(self):
        """Returns the names of dynamic sizes, such as B, in the order of the inputs."""
        found = [d for spec in self.inputs for d in Input(spec).dims if isinstance(d, str)]
        return list(dict.fromkeys(found))


class Input:
    """An argument's type in the notation of iree-run-module, with letters for dynamic sizes.

    "Bx4096xf32" is a tensor with a dynamic first size B. "1xi64=5" is one that has to be filled
    with the value 5, because other values would be no valid index. "xf32" is of rank 0.
    """

    def __init__(self, spec):
        shape, _, value = spec.partition("=")
        *dims, self.type = shape.split("x")
        self.dims = [int(d) if d.isdigit() else d for d in dims if d]
        assert re.fullmatch(r"b?f\d+|i\d+", self.type), spec
        self.value = value or None

    def shape(self, **sizes):
        return [sizes.get(d, d) for d in self.dims]


def add(name, source, what, inputs, rows, text, entry=None):
    assert all(name != known.name for known in ENTRIES), name
    ENTRIES.append(Entry(name, source, what, inputs, rows, text, entry or name))
