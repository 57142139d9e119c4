"""Where settings come from.

Owns: reading every layer, weakest first, and the one call that everyone uses, ``load_settings``.
Does not own: merging (``merge``), writing (``store``).
See also: design 05 §7.2.
"""

from dataclasses import replace
from pathlib import Path

from pilotfish.config.files import BrokenJson, parse_object, read_text
from pilotfish.config.home import FOLDER_NAME
from pilotfish.config.layers import Layer, build_layer
from pilotfish.config.managed import ROOT_UID, why_not_managed
from pilotfish.config.memory import SettingsMemory
from pilotfish.config.merge import merge_layers
from pilotfish.config.rule_syntax import split_rules
from pilotfish.config.salvage import salvaged_layer, unreadable_layer, with_last_good
from pilotfish.config.schema import LoadedSettings, SettingsFile, SettingsProblem
from pilotfish.config.trust import TrustStore, trust_file
from pilotfish.core.errors import SettingsError
from pilotfish.core.jsontypes import JsonMapping, JsonObject
from pilotfish.core.permission import RuleSource
from pilotfish.util.records import dataclass

SHARED_FILE = "settings.json"
LOCAL_FILE = "settings.local.json"


@dataclass(frozen=True, kw_only=True)
class CommandLine:
    """What the command line, or the client for one session, asks for."""

    allowed_tools: tuple[str, ...] = ()
    """Rules, or lists of rules separated by blanks or commas."""
    disallowed_tools: tuple[str, ...] = ()
    permission_mode: str | None = None
    model: str | None = None
    max_turns: int | None = None
    max_budget_usd: float | None = None
    additional_directories: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SettingsSources:
    """Everything that settings are read from."""

    home: Path
    """The state folder."""
    project_root: Path | None = None
    """None when no folder is open: then there are no project and local layers."""
    usual: JsonMapping | None = None
    """The defaults of a client, where it has others than a settings file."""
    flag: Path | JsonMapping | None = None
    """A file or an object given at launch, or the editor's user-level settings."""
    workspace: JsonMapping | None = None
    """The editor's workspace-level settings; they count as the project's."""
    policy: Path | None = None
    """A managed file; read only."""
    policy_owner_uid: int = ROOT_UID
    """Who must own the managed file, so that nobody gives orders in the administrator's name."""
    command_line: CommandLine = CommandLine()
    trusted_by_editor: bool | None = None
    """The editor's workspace trust; None when no editor decides, then the user's list does."""
    memory: SettingsMemory | None = None
    """What the files said before, for a process that reads them more than once."""


def user_file(home: Path) -> Path:
    """Return the user's settings file in the state folder."""
    return home / SHARED_FILE


def shared_file(root: Path) -> Path:
    """Return the settings file that a project's people share."""
    return root / FOLDER_NAME / SHARED_FILE


def local_file(root: Path) -> Path:
    """Return the user's own settings file for a project."""
    return root / FOLDER_NAME / LOCAL_FILE


def watched_files(sources: SettingsSources) -> tuple[Path, ...]:
    """Return every file whose change can change the settings, whether it exists or not."""
    files = [user_file(sources.home), trust_file(sources.home)]
    if sources.project_root is not None:
        files += [shared_file(sources.project_root), local_file(sources.project_root)]
    files += [file for file in (sources.flag, sources.policy) if isinstance(file, Path)]
    return tuple(files)


def load_settings(sources: SettingsSources) -> LoadedSettings:
    """Read and merge all settings. Touches the disk and blocks; never raises for their content."""
    return read_settings(sources)[0]


def read_settings(sources: SettingsSources) -> tuple[LoadedSettings, list[Layer]]:
    """Read all settings and return them merged, and layer by layer. As ``load_settings``."""
    trusted = is_trusted_project(sources)
    layers = load_layers(sources)
    merged = merge_layers(layers, trusted=trusted, project_root=sources.project_root)
    return merged, layers


def load_layers(sources: SettingsSources) -> list[Layer]:
    """Read every layer, weakest first. Touches the disk and blocks; never raises."""
    root = sources.project_root
    layers = [] if sources.usual is None else [build_layer("userSettings", sources.usual)]
    layers.append(_from_file("userSettings", user_file(sources.home), sources.memory))
    if root is not None:
        layers.append(_from_file("projectSettings", shared_file(root), sources.memory))
    if sources.workspace is not None:
        layers.append(build_layer("projectSettings", sources.workspace))
    if root is not None:
        layers.append(_from_file("localSettings", local_file(root), sources.memory))
    if isinstance(sources.flag, Path):
        layers.append(_from_file("flagSettings", sources.flag, sources.memory, required=True))
    elif sources.flag is not None:
        layers.append(build_layer("flagSettings", sources.flag))
    if sources.policy is not None:
        layers.append(_policy(sources.policy, sources))
    layers.append(_from_command_line(sources.command_line))
    return layers


def is_trusted_project(sources: SettingsSources) -> bool:
    """Tell whether the user vouches for the project's own files. Touches the disk and blocks."""
    if sources.trusted_by_editor is not None:
        return sources.trusted_by_editor
    if sources.project_root is None:
        return False
    return TrustStore(sources.home).is_trusted(sources.project_root)


def _policy(file: Path, sources: SettingsSources) -> Layer:
    problem = why_not_managed(file, sources.policy_owner_uid)
    if not problem:
        return _from_file("policySettings", file, sources.memory)
    report = SettingsProblem(text=f"{file} is ignored: {problem}.", file=file)
    return Layer(source="policySettings", values=SettingsFile(), problems=(report,), file=file)


def _from_file(
    source: RuleSource, file: Path, memory: SettingsMemory | None, *, required: bool = False
) -> Layer:
    layer = _read(source, file, memory, required=required)
    if not (layer.unread or layer.only_tightens):
        return layer
    last = None if memory is None else memory.last_good(file)
    if last is not None:
        note = "Until it is mended, what it forbade before stays forbidden and it permits nothing."
        return _noted(with_last_good(layer, last), note)
    if layer.unread:
        return _noted(layer, "Until it is mended, whatever it might forbid asks.")
    return _noted(layer, "Until it is mended, it permits nothing; what it forbids could be read.")


def _read(
    source: RuleSource, file: Path, memory: SettingsMemory | None, *, required: bool
) -> Layer:
    """Read one file; what is wrong with it stands in the layer."""
    empty = Layer(source=source, values=SettingsFile(), file=file)
    try:
        text = read_text(file)
    except SettingsError as error:
        return unreadable_layer(source, file, str(error))
    if text is None:
        if memory is not None:
            memory.forget(file)
        report = SettingsProblem(text=f"{file} does not exist.", file=file)
        return replace(empty, problems=(report,)) if required else empty
    if not text.strip():
        # An editor may empty a file before it writes it anew.
        known = memory is not None and memory.last_good(file) is not None
        return unreadable_layer(source, file, f"{file} is empty.") if known else empty
    try:
        layer = build_layer(source, parse_object(text, str(file)), file=file, text=text)
    except BrokenJson as error:
        return salvaged_layer(source, file, text, error)
    if memory is not None and not layer.unread:
        memory.keep(file, layer)
    return layer


def _noted(layer: Layer, note: str) -> Layer:
    """Say behind what is wrong what follows from it."""
    first, *others = layer.problems or (SettingsProblem(text=f"{layer.file} is broken."),)
    return replace(layer, problems=(replace(first, text=f"{first.text} {note}"), *others))


def _from_command_line(given: CommandLine) -> Layer:
    permissions: JsonObject = {
        "allow": [rule for text in given.allowed_tools for rule in split_rules(text)],
        "deny": [rule for text in given.disallowed_tools for rule in split_rules(text)],
        "additionalDirectories": list(given.additional_directories),
    }
    raw: JsonObject = {"permissions": permissions}
    if given.permission_mode is not None:
        permissions["defaultMode"] = given.permission_mode
    if given.model is not None:
        raw["model"] = {"name": given.model}
    if given.max_turns is not None:
        raw["maxTurns"] = given.max_turns
    if given.max_budget_usd is not None:
        raw["maxBudgetUsd"] = given.max_budget_usd
    return build_layer("cliArg", raw)
