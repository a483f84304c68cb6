"""The database, which the program `wavetune` asks."""

import os
import shutil
import subprocess
import sysconfig
from typing import Literal, Optional

from ._answer import Answer, Rung
from ._errors import Error


def _program() -> str:
    """The program that came with this module, or else the one of `PATH`."""
    installed = os.path.join(sysconfig.get_path("scripts"), "wavetune")
    found = installed if os.path.isfile(installed) else shutil.which("wavetune")
    if found is None:
        raise Error("the program wavetune is not there; install the wheel, or put the program into PATH")
    return found


def lookup(
    problem: str,
    *,
    database: "Optional[str | os.PathLike[str]]" = None,
    target: Optional[str] = None,
    device: Optional[str] = None,
    generator: Optional[str] = None,
    ties: Optional[Literal["fold", "any"]] = None,
    at_least: Optional[Rung] = None,
) -> Answer:
    """Answers from a database: a file, an address of PostgreSQL, or without it what `wavetune` takes unasked.

    What has no exact answer is noted there, so that it can be tuned.
    """
    insisted = {
        "db": None if database is None else os.fspath(database),
        "target": target,
        "device": device,
        "generator": generator,
        "ties": ties,
        "at-least": at_least,
    }
    options = [f"--{name}={value}" for name, value in insisted.items() if value is not None]
    command = [_program(), "lookup", "--output-format=json", *options, "--", problem]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)
    # 1 is an answer, too: that nothing was found, or not on an exact rung.
    if done.returncode not in (0, 1) or not done.stdout:
        raise Error(done.stderr.strip() or f"wavetune ended with {done.returncode}")
    return Answer.of(done.stdout)
