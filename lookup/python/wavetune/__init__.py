"""The fastest correct kernel configurations that wavetune found for reductions on AMD GPUs.

A `Table` is a file of answers, `*.wtab`, which needs no database and no other process. `lookup` asks a database, by the program
`wavetune`. Both go down the same ladder and give an `Answer`.
"""

from ._answer import Answer, Rung
from ._database import lookup
from ._errors import Error, TableError
from ._table import Entry, Table

__all__ = ["Answer", "Entry", "Error", "Rung", "Table", "TableError", "lookup"]
