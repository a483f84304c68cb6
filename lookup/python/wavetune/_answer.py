"""An answer of the ladder."""

import json
from dataclasses import dataclass
from typing import Any, Dict, Literal, Optional

#: A rung of the ladder, the best one first.
Rung = Literal["exact", "sibling", "neighbour", "predicted", "default"]


@dataclass(frozen=True)
class Answer:
    """What is known of a problem."""

    #: Where it stands; "none" where there is no configuration.
    rung: Literal["exact", "sibling", "neighbour", "predicted", "default", "none"]
    #: The problem, in its canonical spelling.
    problem: str
    #: The instruction set; none where the question left it open.
    target: Optional[str]
    #: The configuration, with the keys of wavetune's configurations.
    configuration: Optional[Dict[str, Any]]
    #: The generator that the configuration belongs to.
    generator: Optional[str]
    #: Of an exact answer "right", or "tie" where it gives another index on ties; of others said["tuned"] has that of what was tuned.
    status: Optional[Literal["right", "tie"]]
    #: Its time on this very problem in microseconds: of an exact answer alone.
    time_us: Optional[float]
    #: All that is said, as `wavetune lookup --output-format json` prints it.
    said: Dict[str, Any]

    @staticmethod
    def of(line: str) -> "Answer":
        """The answer that was printed on this line."""
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
