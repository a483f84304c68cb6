"""libwavetune_lookup, as its header declares it."""

import ctypes
import os
from typing import Any

OK, ABSENT, FAILED = 0, 1, 2


class Text(ctypes.Structure):
    _fields_ = [("text", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def said(self) -> str:
        return ctypes.string_at(self.text, self.length).decode()


class Failure(ctypes.Structure):
    _fields_ = [("message", ctypes.c_void_p), ("verdict", ctypes.c_char * 16), ("at", ctypes.c_uint64)]


class Question(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("problem", "target", "device", "generator", "at_least")]


class Entry(ctypes.Structure):
    _fields_ = [
        *((name, Text) for name in ("key", "configuration", "attributes", "generator", "provenance", "family")),
        *((name, ctypes.c_double) for name in ("time_us", "default_time_us", "bound_us")),
        ("study", ctypes.c_int64),
        ("sizes", ctypes.c_uint64 * 4),
        ("size_count", ctypes.c_uint32),
        ("ordinal", ctypes.c_uint32),
        ("is_tie", ctypes.c_bool),
    ]


library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libwavetune_lookup.so"))

_failure = ctypes.POINTER(Failure)
_handle = ctypes.POINTER(ctypes.c_void_p)


def _declare(name: str, result: Any, *arguments: Any) -> None:
    call = getattr(library, f"wavetune_lookup_{name}")
    call.restype, call.argtypes = result, arguments


_declare("open", ctypes.c_int, ctypes.c_char_p, _handle, _failure)
_declare("read", ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, _handle, _failure)
_declare("close", None, ctypes.c_void_p)
_declare("free", None, ctypes.c_void_p)
_declare("answer", ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Question), _handle, _failure)
_declare("count", ctypes.c_size_t, ctypes.c_void_p)
_declare(
    "find", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t), _failure
)
_declare("entry_at", ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Entry), _failure)
_declare("metadatum", ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Text), ctypes.POINTER(Text), _failure)


def owned(text: "int | None") -> str:
    """A text that the library has given, which is freed."""
    try:
        return ctypes.string_at(text or 0).decode()
    finally:
        library.wavetune_lookup_free(text)
