"""The answers and errors of the module, for a table of support/mod.rs and a truncated one."""

import sys
import threading

import wavetune

path, cut = sys.argv[1:]


def check(problem: str, rung: str, **insisted: str) -> wavetune.Answer:
    answer = table.lookup(problem, **insisted)  # type: ignore[arg-type]
    assert answer.rung == rung, answer
    assert (answer.configuration is None) == (rung == "none")
    return answer


with wavetune.Table(path) as table:
    exact = check("argmax:4x[32000]xf32", "exact", target="gfx942")
    assert (exact.problem, exact.target, exact.generator) == ("argmax:4x[32000]xf32:i32", "gfx942", "native")
    assert exact.time_us == 5.0 and exact.configuration is not None and exact.configuration["subgroup_size"] == 64
    assert exact.said["provenance"]["device"] == "emulated:mi300x"
    assert exact == check("argmax:4x[32000]xf32", "exact")
    assert check("argmax:4x[32000]xf32", "sibling", device="hip:0").time_us is None
    check("argmax:4x[31000]xf32", "neighbour")
    check("argmin:[9]xf64", "default")
    check("argmin:[9]xf64", "none", at_least="exact")
    entry = table.find("argmin:2x[512]xf16:i32\0gfx942")
    assert entry is not None and entry.sizes == (2, 512) and entry.default_time_us == 9.0 and entry.bound_us is None
    assert len(table) == 3 and len(list(table.entries())) == 3 and table.metadata() == {"target": "gfx942"}
    for words, parts in [
        ({"problem": "argmax:4x[x]xf32"}, "argmax:4x[x]xf32"),
        ({"problem": "argmax:4x[8]xf32", "target": "gfx000"}, "gfx000"),
        ({"problem": "argmax:4x[8]xf32", "at_least": "best"}, "neighbour"),
    ]:
        try:
            table.lookup(**words)  # type: ignore[arg-type]
            raise AssertionError(words)
        except wavetune.Error as error:
            assert parts in str(error) and not isinstance(error, wavetune.TableError), error
    for text in ("argmax\0", "argmax\ud800"):
        try:
            table.lookup(text)
            raise AssertionError(text)
        except ValueError:
            pass

    # A call during the close returns its answer, or the error of a closed table.
    answers: "list[wavetune.Answer]" = []

    def ask() -> None:
        try:
            while True:
                answers.append(table.lookup("argmax:4x[32000]xf32"))
        except ValueError as error:
            assert "closed" in str(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    while len(answers) < 20:
        pass
for thread in threads:
    thread.join()
assert all(answer == exact for answer in answers)

for name, verdict in ((cut, "length"), (cut + ".nowhere", "io")):
    try:
        wavetune.Table(name)
        raise AssertionError(name)
    except wavetune.TableError as error:
        assert error.verdict == verdict and name in str(error), error
