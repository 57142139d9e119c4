"""What a method of the wire is."""

from typing import Literal

from pilotfish.util.records import dataclass
from pilotfish.wire.base import WireModel


class Empty(WireModel):
    """No parameters, or no answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Method:
    """One method of the wire."""

    name: str
    direction: Literal["client_to_server", "server_to_client"]
    kind: Literal["request", "notification"]
    params: type[WireModel]
    result: type[WireModel] | None = None
    doc: str
