"""Writes the licences of the packages that are linked into wavetune, with the texts that lie in their folders.

    python3 licences.py FILE PLATFORM PACKAGE…

A package that its licence's text does not accompany is named with its licence; deny.toml says which licences may be.
"""

import json
import pathlib
import subprocess
import sys
from collections import defaultdict

HEAD = """\
Licences of what is linked into wavetune
========================================

wavetune itself is under the Apache License 2.0. The packages below are under the licences whose texts follow.
SQLite, which libsqlite3-sys brings, is in the public domain. Linked in as well, and no packages of crates.io:

- the Rust standard library, MIT OR Apache-2.0, copyright The Rust Project contributors
- LLVM's libunwind, Apache-2.0 WITH LLVM-exception
- Zig's compiler_rt, MIT, copyright Zig contributors
"""
RULE = "\n" + "-" * 80 + "\n"
NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


def linked(metadata: dict, roots: "list[str]") -> "list[dict]":
    """Returns the packages that these need at run time: not build scripts, macros or tests, nor what only those need."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    found, waiting = set(), [key for key, package in packages.items() if package["name"] in roots]
    while waiting:
        key = waiting.pop()
        is_macro = any("proc-macro" in target["kind"] for target in packages[key]["targets"])
        if key in found or is_macro:
            continue
        found.add(key)
        needs = nodes[key]["deps"]
        waiting += [need["pkg"] for need in needs if any(kind["kind"] is None for kind in need["dep_kinds"])]
    # Those of this workspace have no source.
    return sorted((packages[key] for key in found if packages[key]["source"]), key=lambda it: (it["name"], it["version"]))


def texts(package: dict) -> "list[str]":
    """Returns the texts of licences in a package's folder and the folders below."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.name.upper().startswith(NAMES))
    return [file.read_text(errors="replace").strip() for file in files if file.suffix not in (".rs", ".c", ".h")]


def main() -> None:
    file, platform, *roots = sys.argv[1:]
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--filter-platform", platform]
    metadata = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    packages = linked(metadata, roots)
    users, bare = defaultdict(list), []
    for package in packages:
        name = f"{package['name']} {package['version']}"
        own = texts(package)
        if not own:
            bare.append(f"- {name}, {package['license']}, {package['repository']}")
        for text in own:
            users[text].append(f"- {name}, {package['license']}")
    parts = [HEAD]
    if bare:
        parts.append("Without a text of its own in its package:\n\n" + "\n".join(bare) + "\n")
    for text, names in users.items():
        parts.append("\n".join(names) + "\n\n" + text + "\n")
    pathlib.Path(file).write_text(RULE.join(parts))
    print(f"{len(packages)} packages, {len(users)} texts, {len(bare)} packages without a text")


main()
