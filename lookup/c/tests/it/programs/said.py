"""The texts of the module about files: those of testing/tables/src/transcript.rs, without the families.

Standard input is a sequence of files, each behind its length in eight bytes, little-endian; so is the output of texts.
"""

import struct
import sys

import wavetune


def words(what: str, *texts: str) -> bytes:
    parts = [what.encode()]
    for text in texts:
        data = text.encode()
        parts.append(b" %d:%s" % (len(data), data))
    return b"".join(parts)


def bits(time: "float | None") -> int:
    return 0 if time is None else int.from_bytes(struct.pack("<d", time), "little")


def entry_said(table: wavetune.Table, entry: wavetune.Entry) -> bytes:
    assert table.find(entry.key) == entry
    other = table.find(entry.key + ".")
    assert other is None or other.key == entry.key + "."
    texts = (entry.key, entry.configuration, entry.attributes, entry.generator, entry.provenance, entry.family)
    times = map(bits, (entry.time_us, entry.default_time_us, entry.bound_us))
    numbers = (entry.status == "tie", *times, entry.study % 2**64, entry.ordinal, *entry.sizes)
    return words("entry", *texts) + b"".join(b" %x" % number for number in numbers) + b"\n"


def said(file: bytes) -> bytes:
    try:
        table = wavetune.Table.read(file)
    except wavetune.TableError as error:
        assert str(error)
        return f"{error.verdict} {error.at}\n".encode()
    with table:
        lines = [b"ok 0\n"]
        lines.extend(words("metadatum", *pair) + b"\n" for pair in table.metadata().items())
        entries = list(table.entries())
        assert len(table) == len(entries)
        lines.extend(entry_said(table, entry) for entry in entries)
        return b"".join(lines)


while prefix := sys.stdin.buffer.read(8):
    text = said(sys.stdin.buffer.read(int.from_bytes(prefix, "little")))
    sys.stdout.buffer.write(len(text).to_bytes(8, "little") + text)
    sys.stdout.buffer.flush()
