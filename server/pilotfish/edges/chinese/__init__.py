"""What people read of the server, in Chinese.

Owns: the one catalogue of translations, by topic and English text. Whoever writes a text in the
server writes English; ``localise`` puts these in its place. ``{0}`` and so on stand for what a text
carries as it is; ``{0*}`` for what is a text itself and translated, too.
Does not own: which texts reach people (``localise.PLACES``), the client's own texts (``l10n/``).

Tests find each of these in the server's sources, compare what there is to fill in, and find the
texts of the sources that are missing here.
"""

from pilotfish.edges.chinese.commands import COMMANDS
from pilotfish.edges.chinese.common import COMMON
from pilotfish.edges.chinese.definitions import DEFINITION_PARTS, DEFINITIONS
from pilotfish.edges.chinese.demo import DEMO
from pilotfish.edges.chinese.doctor import DOCTOR, INDEX
from pilotfish.edges.chinese.errors import ERRORS
from pilotfish.edges.chinese.files import FILES
from pilotfish.edges.chinese.keys import KEYS
from pilotfish.edges.chinese.requests import REQUESTS
from pilotfish.edges.chinese.settings import SETTINGS
from pilotfish.edges.chinese.titles import TITLES
from pilotfish.edges.chinese.validation import VALIDATION
from pilotfish.edges.chinese.why import REASON_PARTS, WHY

CATALOGUE: dict[str, dict[str, str]] = {
    "commands": COMMANDS,
    "common": COMMON,
    "definitions": DEFINITIONS,
    "definition parts": DEFINITION_PARTS,
    "demo": DEMO,
    "doctor": DOCTOR,
    "errors": ERRORS,
    "files": FILES,
    "index": INDEX,
    "keys": KEYS,
    "requests": REQUESTS,
    "settings": SETTINGS,
    "reason parts": REASON_PARTS,
    "validation": VALIDATION,
    "why": WHY,
    **{f"title {tool}": texts for tool, texts in TITLES.items()},
}
"""By topic: what a text is about decides where it is looked for."""

__all__ = ["CATALOGUE"]
