"""An answer of the ladder."""

import json
from dataclasses import dataclass
from typing import Any, Dict, Literal, Optional

#: A rung of the ladder, the best one first.
Rung = Literal["exact", "sibling", "neighbour", "predicted", "default"]


@dataclass(frozen=True)
class Answer:
    """The answer to a question about a problem."""

    #: The rung of the answer; "none" without a configuration.
    rung: Literal["exact", "sibling", "neighbour", "predicted", "default", "none"]
    #: The problem, in its canonical spelling.
    problem: str
    #: The instruction set; None if the question names none.
    target: Optional[str]
    #: The configuration, with the keys of wavetune's configurations.
    configuration: Optional[Dict[str, Any]]
    #: The generator that the configuration belongs to.
    generator: Optional[str]
    #: The verdict of an exact answer: "right", or "tie" for another index on ties. Other answers have the verdict of
    #: the tuned problem in said["tuned"].
    status: Optional[Literal["right", "tie"]]
    #: The time on this problem in microseconds; only of an exact answer.
    time_us: Optional[float]
    #: The whole answer, as `wavetune lookup --output-format json` prints it.
    said: Dict[str, Any]

    @staticmethod
    def of(line: str) -> "Answer":
        """Parses the answer of this line."""
        said: Dict[str, Any] = json.loads(line)
        return Answer(
            rung=said["answer"],
            problem=said["problem"],
            target=said.get("target"),
            configuration=said.get("configuration"),
            generator=said.get("generator"),
            status=said.get("status"),
            time_us=said.get("time_us"),
            said=said,
        )
