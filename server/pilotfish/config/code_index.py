"""The settings of the workspace index.

Owns: ``codeIntelligence.index`` of a settings file, its merged form, which layer wins.
Does not own: what is done with it (``codeintel.index``).
"""

from collections.abc import Sequence

from pydantic import Field

from pilotfish.config.layers_order import strongest
from pilotfish.config.section import Section
from pilotfish.util.records import dataclass


class IndexSection(Section):
    """``codeIntelligence.index`` of a settings file."""

    enabled: bool | None = None
    max_files: int | None = Field(default=None, ge=1, le=500_000)
    repository_map: bool | None = None
    repository_map_tokens: int | None = Field(default=None, ge=100, le=20_000)


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexSettings:
    """What the index takes in and what the model is shown of it."""

    enabled: bool = True
    max_files: int = 50_000
    """Files of one folder; with more, those changed last are taken."""
    repository_map: bool = True
    """Whether the model is shown a map of the repository at the start of a session."""
    repository_map_tokens: int = 1_000
    """About how many tokens that map may have."""


def merge_index(sections: Sequence[IndexSection]) -> IndexSettings:
    """Merge sections, weakest first: none of them can do harm, so the strongest wins."""
    usual = IndexSettings()
    return IndexSettings(
        enabled=strongest((one.enabled for one in sections), usual.enabled),
        max_files=strongest((one.max_files for one in sections), usual.max_files),
        repository_map=strongest((one.repository_map for one in sections), usual.repository_map),
        repository_map_tokens=strongest(
            (one.repository_map_tokens for one in sections), usual.repository_map_tokens
        ),
    )
