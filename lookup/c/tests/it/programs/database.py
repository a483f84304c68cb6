"""A database and the table that was made of it answer alike: called with both."""

import sys

import wavetune

database, path = sys.argv[1:]
with wavetune.Table(path) as table:
    for problem, rung in (("argmax:4x[512]xf32", "exact"), ("argmax:4x[500]xf32", "neighbour"), ("argmin:[9]xf64", "default")):
        known = wavetune.lookup(problem, database=database, target="gfx942")
        found = table.lookup(problem)
        assert known.rung == found.rung == rung, (known, found)
        assert known.configuration == found.configuration and known.time_us == found.time_us
try:
    wavetune.lookup("-argmax", database=database)
    raise AssertionError
except wavetune.Error as error:
    assert "-argmax" in str(error), error
