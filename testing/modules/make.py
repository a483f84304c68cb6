#!/usr/bin/env python3
"""Writes the corpus of modules, compiles each with plain iree-compile, and writes modules.tsv.

    python make.py OUT [--only WORD] [--no-compile]

OUT gets NAME.mlir for each module and modules.tsv. `--only` takes the modules whose names have the
word, and keeps the rows of the others. `--no-compile` writes the modules and leaves the table alone.
README.md beside this file describes the columns and the Python packages.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import catalogue
import hand_written  # noqa: F401
import jax_models  # noqa: F401
import onnx_models  # noqa: F401
import torch_models  # noqa: F401

COLUMNS = ["file", "source", "what", "entry", "dynamic", "gfx942", "gfx1100", "llvm_cpu", "dispatches", "row_count",
           "rows", "inputs"]
TARGETS = {
    "gfx942": ["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"],
    "gfx1100": ["--iree-hal-target-device=hip", "--iree-rocm-target=gfx1100"],
    "llvm_cpu": ["--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic"],
}
SIZES_OF_RUN = {"B": 3, "S": 5}
MOST_BYTES = 40_000
MOST_BYTES_OF_ALL = 1_000_000
# iree-compile 3.13 may hang after a crash of one of its threads.
MOST_SECONDS = 300


def cleaned(text):
    """Returns a module's text without locations, blank ends of lines and paths."""
    text = re.sub(r"^#loc.*\n", "", text, flags=re.M)
    text = re.sub(r" loc\((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*\)", "", text)
    text = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"
    for forbidden in ("loc(", "dense_resource", "/home", "/root", "/work", "/tmp", "/usr"):
        assert forbidden not in text, forbidden
    return text


def compile_module(compiler, file, options, out):
    """Returns None, or the first line of iree-compile's error."""
    try:
        run = subprocess.run([compiler, file, "-o", out, *options], capture_output=True, text=True,
                             timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return "timeout"
    if run.returncode == 0:
        return None
    errors = [line for line in run.stderr.splitlines() if "error:" in line]
    return errors[0].split("error:", 1)[1].strip() if errors else f"exit status {run.returncode}"


def run_module(runner, file, entry):
    """Returns None, or the first line of iree-run-module's error, for a call of each entry function."""
    arguments = []
    for spec in entry.inputs:
        tensor = catalogue.Input(spec)
        shape = "x".join([str(d) for d in tensor.shape(**SIZES_OF_RUN)] + [tensor.type])
        arguments.append(f"--input={shape}={tensor.value or 0.5}")
    for function in entry.entry.split(","):
        command = [runner, f"--module={file}", f"--function={function}", "--device=local-sync", *arguments,
                   "--output_max_element_count=4"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS)
        if run.returncode != 0:
            return (run.stderr.splitlines() or [f"exit status {run.returncode}"])[0]
    return None


def dispatch_count(flow):
    """Returns the number of dispatches that the entry functions make, without those of initializers."""
    count, inside = 0, False
    for line in flow.splitlines():
        # Functions and initializers of the module have an indentation of two spaces.
        if re.match(r"  \S", line) and not line.startswith("  }"):
            inside = line.startswith("  util.func")
        count += inside and "flow.dispatch @" in line
    return count


def row_of(entry, compiler, file):
    """Compiles a module for each target and returns its row of the table."""
    verdicts = {}
    with tempfile.TemporaryDirectory() as folder:
        for target, options in TARGETS.items():
            built = os.path.join(folder, target + ".vmfb")
            error = compile_module(compiler, file, options, built)
            if target == "llvm_cpu" and not error:
                error = run_module(os.path.join(os.path.dirname(compiler), "iree-run-module"), built, entry)
            verdicts[target] = "no" if error else "yes"
            if error:
                print(f"{entry.name} {target}: {error}", file=sys.stderr)
        flow = os.path.join(folder, "flow.mlir")
        error = compile_module(compiler, file, [*TARGETS["gfx942"], "--compile-to=flow"], flow)
        dispatches = "-"
        if not error:
            with open(flow) as text:
                dispatches = str(dispatch_count(text.read()))
    return {
        "file": entry.name + ".mlir", "source": entry.source, "what": entry.what, "entry": entry.entry,
        "dynamic": ",".join(entry.symbols()) or "-", **verdicts, "dispatches": dispatches,
        "row_count": str(entry.row_count()), "rows": entry.rows, "inputs": " ".join(entry.inputs),
    }


def read_table(file):
    if not os.path.exists(file):
        return {}
    with open(file) as table:
        names, *lines = (line.rstrip("\n").split("\t") for line in table)
    rows = (dict(zip(names, line)) for line in lines)
    return {row["file"]: row for row in rows if list(row) == COLUMNS}


def write_table(file, rows):
    with open(file, "w") as table:
        table.write("\t".join(COLUMNS) + "\n")
        for entry in catalogue.ENTRIES:
            row = rows.get(entry.name + ".mlir")
            if row:
                table.write("\t".join(row[c] for c in COLUMNS) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--only", default="")
    parser.add_argument("--no-compile", action="store_true")
    options = parser.parse_args()
    compiler = os.environ.get("IREE_COMPILE") or shutil.which("iree-compile")
    assert compiler or options.no_compile, "no iree-compile in PATH; set IREE_COMPILE to its path"
    table = os.path.join(options.out, "modules.tsv")
    rows, size, failed = read_table(table), 0, 0
    for entry in catalogue.ENTRIES:
        if options.only not in entry.name:
            continue
        file = os.path.join(options.out, entry.name + ".mlir")
        try:
            text = cleaned(entry.text())
        except Exception as error:
            print(f"{entry.name}: not made: {type(error).__name__}: {str(error)[:1500]}", file=sys.stderr)
            failed += 1
            continue
        assert len(text) <= MOST_BYTES, f"{entry.name} has {len(text)} bytes"
        size += len(text)
        with open(file, "w") as out:
            out.write(text)
        if not options.no_compile:
            row = rows[entry.name + ".mlir"] = row_of(entry, compiler, file)
            print(*(row[c] for c in ("file", "gfx942", "gfx1100", "llvm_cpu", "dispatches")), len(text), flush=True)
            write_table(table, rows)
    assert size <= MOST_BYTES_OF_ALL, f"the modules have {size} bytes together"
    print(f"{len(catalogue.ENTRIES)} modules known, {size} bytes written, {failed} not made")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
