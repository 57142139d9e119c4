"""What people ask of Pilotfish beside any conversation: how it is, words for a commit."""

from pydantic import Field

from pilotfish.wire.base import WireModel


class DoctorParams(WireModel):
    """``_pilotfish/doctor``: what is well and what is not."""

    cwd: str
    """The folder from which it is seen."""


class DoctorCheck(WireModel):
    """One thing that was looked at."""

    name: str
    value: str
    problem: str
    """What is wrong and what to do; empty when nothing is."""


class DoctorResponse(WireModel):
    """What was found; of ``server`` and ``process`` there may be several."""

    checks: list[DoctorCheck]


class CommitMessageParams(WireModel):
    """``_pilotfish/commit/message``: words for what has changed in a repository."""

    session_id: str
    """On whose bill, and with whose rules about private files."""
    cwd: str = Field(min_length=1)
    """A folder in the repository."""


class CommitMessageResponse(WireModel):
    """The message."""

    message: str
