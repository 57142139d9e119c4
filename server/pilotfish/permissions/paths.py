"""Classes of paths.

Owns: which paths are Pilotfish's own or start programs (P0), which are protected (P1), and which
lie outside the trusted folders. Both spellings count: as named and with links followed.
Does not own: path rules (``path_rules``), the reaction to a class (``decide``, ``modes``).
See also: design 05 §8.1.
"""

import posixpath
import re
import unicodedata
from functools import lru_cache
from typing import Literal

from pilotfish.config.home import FOLDER_NAME
from pilotfish.permissions.state import PermissionState
from pilotfish.util.records import dataclass

_SECRET_NAME = re.compile(
    r"\.env(\..+)?|.+\.pem|id_(rsa|dsa|ecdsa|ed25519)\b.*"
    r"|\.?credentials(\.(json|ya?ml|toml|ini|csv))?|\.git-credentials|\.netrc|_netrc|\.pgpass"
)
"""Names of files that usually hold keys and passwords, folded."""

PathTier = Literal["agent_config", "protected", "outside", "inside"]

_AGENT_FOLDERS = frozenset({FOLDER_NAME, ".claude", ".codebuddy", ".kodax"})
_AGENT_FILES = frozenset({".mcp.json"})
_EDITOR_PROGRAMS = frozenset({"settings.json", "tasks.json", "launch.json"})
_PROTECTED_NAMES = frozenset(
    {".git", ".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".bash_login",
     ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
     ".zlogout", ".cshrc", ".tcshrc", ".kshrc", ".login", ".envrc", ".inputrc", ".ssh", ".gnupg",
     ".aws", ".azure", ".kube", ".docker", ".npmrc", ".pypirc", ".netrc", "_netrc", ".yarnrc",
     ".yarnrc.yml", ".pnpmfile.cjs", ".bunfig.toml", "bunfig.toml", ".condarc", ".gemrc", ".m2",
     ".cargo", "pip.conf", ".husky", ".idea", ".vscode", ".xprofile", ".xinitrc", ".pam_environment"}
)  # fmt: skip
_CONFIG_CHILDREN = frozenset({"fish", "git", "pip", "gcloud", "gh", "systemd", "autostart"})
_MOVING_TREES = ("/proc/", "/dev/")
"""Trees whose content is not what it seems from another process."""

_HARMLESS_DEVICES = re.compile(r"^/dev/(null|zero|tty|stdin|stdout|stderr)$")


@dataclass(frozen=True, kw_only=True, slots=True)
class PathFacts:
    """A path as the judge sees it."""

    named: str
    """Absolute and lexically normal, links not followed."""
    real: str
    tier: PathTier

    @property
    def spellings(self) -> tuple[str, ...]:
        """The path as named and, when that differs, with links followed."""
        return (self.named,) if self.named == self.real else (self.named, self.real)


def classify(path: str, state: PermissionState) -> PathFacts:
    """Find the class of an absolute path. Asks the disk for its links."""
    named = posixpath.normpath(path)
    named = "/" + named.lstrip("/")
    real = state.probe.real_path(named)
    facts = PathFacts(named=named, real=real, tier="inside")
    return PathFacts(named=named, real=real, tier=_tier(facts, state))


def _tier(facts: PathFacts, state: PermissionState) -> PathTier:
    if state.plan_file is not None and facts.real == state.probe.real_path(str(state.plan_file)):
        return "inside"
    if is_memory(facts, state):
        return "inside"
    own = str(state.state_folder)
    tiers = [_named_tier(spelling) for spelling in facts.spellings]
    if any(
        is_within(spelling, own) and not _in_worktree(spelling, own) for spelling in facts.spellings
    ):
        return "agent_config"
    if "agent_config" in tiers:
        return "agent_config"
    if "protected" in tiers:
        return "protected"
    return "inside" if is_inside(facts, state) else "outside"


def is_inside(facts: PathFacts, state: PermissionState) -> bool:
    """Tell whether a path, links followed, lies in a trusted folder."""
    if any(s.startswith(_MOVING_TREES) for s in facts.spellings):
        return bool(_HARMLESS_DEVICES.match(facts.named))
    return any(is_within(facts.real, str(folder)) for folder in state.trusted_dirs)


def is_memory(facts: PathFacts, state: PermissionState) -> bool:
    """Tell whether a path really lies in the memory of the agent that is judged."""
    folder = "" if state.memory is None else state.memory.folder
    return bool(folder) and is_within(facts.real, folder)


def is_secret(facts: PathFacts) -> bool:
    """Tell whether a path, in either spelling, has a name that usually stands for secrets."""
    return any(is_secret_name(spelling) for spelling in facts.spellings)


def is_secret_name(path: str) -> bool:
    """Tell whether a path's last name usually stands for secrets."""
    return bool(_SECRET_NAME.fullmatch(_folded(path.rpartition("/")[2])))


def is_readable(facts: PathFacts, state: PermissionState) -> bool:
    """Tell whether a path may be read without a question: trusted, or a result of the session."""
    if state.results_folder is not None:
        folder = state.probe.real_path(str(state.results_folder))
        if is_within(facts.real, folder):
            return True
    return is_inside(facts, state) or is_memory(facts, state)


def is_within(path: str, folder: str) -> bool:
    """Tell whether a path is a folder or lies below it, by whole names."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _in_worktree(path: str, own: str) -> bool:
    return is_within(path, f"{own}/worktrees")


@lru_cache(maxsize=4096)
def _named_tier(path: str) -> PathTier:
    names = [_folded(name) for name in path.split("/") if name]
    names = _after_worktrees(names)
    found: PathTier = "inside"
    for index, name in enumerate(names):
        following = names[index + 1 :]
        if name in _AGENT_FOLDERS or name in _AGENT_FILES:
            return "agent_config"
        if name == ".git" and "hooks" in following:
            return "agent_config"
        if name == ".vscode" and following[:1] and following[0] in _EDITOR_PROGRAMS:
            return "agent_config"
        if name in _PROTECTED_NAMES:
            found = "protected"
        if name == ".config" and following[:1] and following[0] in _CONFIG_CHILDREN:
            found = "protected"
    return found


def _after_worktrees(names: list[str]) -> list[str]:
    """Drop everything up to Pilotfish's own worktrees: what lies in one is a project of its own."""
    for index in range(len(names) - 2, -1, -1):
        if names[index : index + 2] == [FOLDER_NAME, "worktrees"] and len(names) > index + 2:
            return names[index + 2 :]
    return names


def _folded(name: str) -> str:
    """Spell a name as the file systems that ignore such differences see it."""
    if not name.isascii():
        name = "".join(c for c in name if unicodedata.category(c) != "Cf")
        name = unicodedata.normalize("NFKC", name)
    return name.partition(":")[0].rstrip(". ").casefold() or name
