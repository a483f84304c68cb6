"""A table file."""

import ctypes
import os
from dataclasses import dataclass
from typing import Dict, Iterator, Literal, Optional, Tuple, Type

from . import _library
from ._answer import Answer, Rung
from ._errors import Error, TableError
from ._library import library


@dataclass(frozen=True)
class Entry:
    """The entry of a key."""

    #: Its place among the entries.
    index: int
    #: The key: the problem's canonical text, a NUL, and the target.
    key: str
    #: The configuration, as JSON.
    configuration: str
    #: The configuration as a compiler's attributes, or empty.
    attributes: str
    #: The generator that the configuration belongs to.
    generator: str
    #: The provenance of the numbers, as JSON.
    provenance: str
    #: The part of the problem that problems of other sizes share.
    family: str
    #: Its sizes, the first four of the problem's.
    sizes: Tuple[int, ...]
    #: "right", or "tie" for another index on ties.
    status: Literal["right", "tie"]
    #: Its time in microseconds.
    time_us: float
    #: The time of the generator's default, if it is known.
    default_time_us: Optional[float]
    #: The lower bound of any kernel's time, if it is known.
    bound_us: Optional[float]
    #: The study of its trial, and its ordinal there.
    study: int
    ordinal: int


class _Handle:
    """A table of the library. A call holds on to it, so it is closed behind the last one."""

    def __init__(self, pointer: "int | None") -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        library.wavetune_lookup_close(self.pointer)


class Table:
    """An open table. Threads may share it."""

    def __init__(self, path: "str | os.PathLike[str]") -> None:
        """Maps the file and validates it. Do not write into an open file; wavetune never does."""
        pointer, failure = ctypes.c_void_p(), _library.Failure()
        _check(library.wavetune_lookup_open(_ended(os.fsencode(path)), pointer, failure), failure)
        self._open: Optional[_Handle] = _Handle(pointer.value)

    @classmethod
    def read(cls, data: bytes) -> "Table":
        """Validates bytes that are in memory, and copies them."""
        pointer, failure = ctypes.c_void_p(), _library.Failure()
        _check(library.wavetune_lookup_read(data, len(data), pointer, failure), failure)
        table = cls.__new__(cls)
        table._open = _Handle(pointer.value)
        return table

    def close(self) -> None:
        """Closes it. Answers and entries are copies, and stay."""
        self._open = None

    def __enter__(self) -> "Table":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: object, trace: object) -> None:
        self.close()

    def lookup(
        self,
        problem: str,
        *,
        target: Optional[str] = None,
        device: Optional[str] = None,
        generator: Optional[str] = None,
        at_least: Optional[Rung] = None,
    ) -> Answer:
        """Answers by the ladder. An omitted part may have any value; the target is then that of the table."""
        handle = self._handle()
        words = (problem, target, device, generator, at_least)
        question = _library.Question(*(None if word is None else _ended(word.encode()) for word in words))
        answer, failure = ctypes.c_void_p(), _library.Failure()
        _check(library.wavetune_lookup_answer(handle.pointer, question, answer, failure), failure)
        return Answer.of(_library.owned(answer.value))

    def find(self, key: str) -> Optional[Entry]:
        """Returns the entry of a key, found by 96 bits of its hash."""
        handle = self._handle()
        data, index, failure = key.encode(), ctypes.c_size_t(), _library.Failure()
        found = library.wavetune_lookup_find(handle.pointer, data, len(data), index, failure)
        return self._entry(index.value) if _check(found, failure) else None

    def entries(self) -> Iterator[Entry]:
        """All entries, family by family."""
        index = 0
        while (entry := self._entry(index)) is not None:
            yield entry
            index += 1

    def metadata(self) -> Dict[str, str]:
        """The metadata of the table, by name."""
        handle = self._handle()
        found: Dict[str, str] = {}
        name, value, failure = _library.Text(), _library.Text(), _library.Failure()
        while _check(library.wavetune_lookup_metadatum(handle.pointer, len(found), name, value, failure), failure):
            found[name.said()] = value.said()
        return found

    def __len__(self) -> int:
        handle = self._handle()
        count: int = library.wavetune_lookup_count(handle.pointer)
        return count

    def _handle(self) -> _Handle:
        if self._open is None:
            raise ValueError("the table is closed")
        return self._open

    def _entry(self, index: int) -> Optional[Entry]:
        handle = self._handle()
        entry, failure = _library.Entry(), _library.Failure()
        if not _check(library.wavetune_lookup_entry_at(handle.pointer, index, entry, failure), failure):
            return None
        return Entry(
            index=index,
            key=entry.key.said(),
            configuration=entry.configuration.said(),
            attributes=entry.attributes.said(),
            generator=entry.generator.said(),
            provenance=entry.provenance.said(),
            family=entry.family.said(),
            sizes=tuple(entry.sizes[: entry.size_count]),
            status="tie" if entry.is_tie else "right",
            time_us=entry.time_us,
            default_time_us=entry.default_time_us or None,
            bound_us=entry.bound_us or None,
            study=entry.study,
            ordinal=entry.ordinal,
        )


def _ended(text: bytes) -> bytes:
    """Bytes that a NUL may end."""
    if b"\0" in text:
        raise ValueError("a NUL in it would end it")
    return text


def _check(result: int, failure: _library.Failure) -> bool:
    """Checks that a call returned a result."""
    if result != _library.FAILED:
        return result == _library.OK
    message, verdict = _library.owned(failure.message), failure.verdict.decode()
    raise TableError(message, verdict, failure.at) if verdict else Error(message)
