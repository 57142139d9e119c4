"""Where settings come from.

Owns: reading every layer, weakest first, and the one call that everyone uses, ``load_settings``.
Does not own: merging (``merge``), writing (``store``).
See also: design 05 §7.2.
"""

from dataclasses import dataclass
from pathlib import Path

from pilotfish.config.files import BrokenJson, parse_object, read_text
from pilotfish.config.home import FOLDER_NAME
from pilotfish.config.layers import Layer, build_layer
from pilotfish.config.merge import merge_layers
from pilotfish.config.rule_syntax import split_rules
from pilotfish.config.schema import LoadedSettings, SettingsFile, SettingsProblem
from pilotfish.config.trust import TrustStore
from pilotfish.core.errors import SettingsError
from pilotfish.core.jsontypes import JsonMapping, JsonObject
from pilotfish.core.permission import RuleSource

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
    additional_directories: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SettingsSources:
    """Everything that settings are read from."""

    home: Path
    """The state folder."""
    project_root: Path | None = None
    """None when no folder is open: then there are no project and local layers."""
    flag: Path | JsonMapping | None = None
    """A file or an object given at launch, or the editor's user-level settings."""
    workspace: JsonMapping | None = None
    """The editor's workspace-level settings; they count as the project's."""
    policy: Path | None = None
    """A managed file; read only."""
    command_line: CommandLine = CommandLine()
    trusted_by_editor: bool | None = None
    """The editor's workspace trust; None when no editor decides, then the user's list does."""


def load_settings(sources: SettingsSources) -> LoadedSettings:
    """Read and merge all settings. Touches the disk and blocks; never raises for their content."""
    return read_settings(sources)[0]


def read_settings(sources: SettingsSources) -> tuple[LoadedSettings, list[Layer]]:
    """Read all settings and return them merged, and layer by layer. As ``load_settings``."""
    trusted = _is_trusted(sources)
    layers = load_layers(sources)
    merged = merge_layers(layers, trusted=trusted, project_root=sources.project_root)
    return merged, layers


def load_layers(sources: SettingsSources) -> list[Layer]:
    """Read every layer, weakest first. Touches the disk and blocks; never raises."""
    root = sources.project_root
    layers = [_from_file("userSettings", sources.home / SHARED_FILE)]
    if root is not None:
        layers.append(_from_file("projectSettings", root / FOLDER_NAME / SHARED_FILE))
    if sources.workspace is not None:
        layers.append(build_layer("projectSettings", sources.workspace))
    if root is not None:
        layers.append(_from_file("localSettings", root / FOLDER_NAME / LOCAL_FILE))
    if isinstance(sources.flag, Path):
        layers.append(_from_file("flagSettings", sources.flag, required=True))
    elif sources.flag is not None:
        layers.append(build_layer("flagSettings", sources.flag))
    if sources.policy is not None:
        layers.append(_from_file("policySettings", sources.policy))
    layers.append(_from_command_line(sources.command_line))
    return layers


def _is_trusted(sources: SettingsSources) -> bool:
    if sources.trusted_by_editor is not None:
        return sources.trusted_by_editor
    if sources.project_root is None:
        return False
    return TrustStore(sources.home).is_trusted(sources.project_root)


def _from_file(source: RuleSource, file: Path, *, required: bool = False) -> Layer:
    try:
        text = read_text(file)
        if text is None and required:
            return _broken(source, file, f"{file} does not exist.", None)
        if text is None or not text.strip():
            return Layer(source=source, values=SettingsFile(), file=file)
        return build_layer(source, parse_object(text, str(file)), file=file, text=text)
    except BrokenJson as error:
        return _broken(source, file, f"{error} The file is ignored until it is mended.", error.line)
    except SettingsError as error:
        return _broken(source, file, str(error), None)


def _broken(source: RuleSource, file: Path, text: str, line: int | None) -> Layer:
    problem = SettingsProblem(text=text, file=file, line=line)
    return Layer(source=source, values=SettingsFile(), problems=(problem,), file=file)


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
    return build_layer("cliArg", raw)
