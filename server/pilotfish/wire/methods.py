"""Every ``_pilotfish/*`` method: name, direction, kind, models.

The server registers from this table and the TypeScript is generated from it.
"""

from pilotfish.wire import (
    aside,
    editor,
    edits,
    interaction,
    mentions,
    permissions,
    processes,
    reports,
    session,
    sessions,
    tasks,
)
from pilotfish.wire.agent_methods import AGENT_METHODS
from pilotfish.wire.base import WireModel
from pilotfish.wire.code_prompts import CODE_METHODS
from pilotfish.wire.commands import COMMANDS_LIST
from pilotfish.wire.initialize import InitializationOptions
from pilotfish.wire.method import Method
from pilotfish.wire.outputs import OUTPUT
from pilotfish.wire.queue import QUEUE_METHODS
from pilotfish.wire.testing import TESTING_METHODS

PROTOCOL_VERSION = 1
"""Grows when a change breaks older clients."""

SNAPSHOT = Method(
    name="_pilotfish/session/snapshot",
    direction="client_to_server",
    kind="request",
    params=session.SnapshotParams,
    result=session.SnapshotResponse,
    doc="Everything a fresh view needs, or the events after a seq.",
)
HISTORY = Method(
    name="_pilotfish/session/history",
    direction="client_to_server",
    kind="request",
    params=session.HistoryParams,
    result=session.HistoryResponse,
    doc="An older part of a long session.",
)
ASIDE = Method(
    name="_pilotfish/session/aside",
    direction="client_to_server",
    kind="request",
    params=aside.AsideParams,
    result=aside.AsideResponse,
    doc="A question beside the conversation, which never hears of it; works during a turn.",
)
ASIDE_TEXT = Method(
    name="_pilotfish/aside/text",
    direction="server_to_client",
    kind="notification",
    params=aside.AsideTextParams,
    doc="The answer to a question on the side, as it streams.",
)
SESSIONS_SEARCH = Method(
    name="_pilotfish/sessions/search",
    direction="client_to_server",
    kind="request",
    params=sessions.SessionsSearchParams,
    result=sessions.SessionsSearchResponse,
    doc="Stored sessions that say some words.",
)
SESSIONS_RENAME = Method(
    name="_pilotfish/sessions/rename",
    direction="client_to_server",
    kind="request",
    params=sessions.SessionsRenameParams,
    result=sessions.SessionsRenameResponse,
    doc="Give a session a name.",
)
SESSIONS_EXPORT = Method(
    name="_pilotfish/sessions/export",
    direction="client_to_server",
    kind="request",
    params=sessions.SessionsExportParams,
    result=sessions.SessionsExportResponse,
    doc="A session as Markdown, without secrets.",
)
STATE = Method(
    name="_pilotfish/session/state",
    direction="server_to_client",
    kind="notification",
    params=session.StateParams,
    doc="A session became idle, running, or waits for the user.",
)
STATUS = Method(
    name="_pilotfish/status",
    direction="server_to_client",
    kind="notification",
    params=session.StatusData,
    doc="Model, context, tokens, cost and mode of a session.",
)
PROVIDER = Method(
    name="_pilotfish/provider",
    direction="server_to_client",
    kind="notification",
    params=session.ProviderParams,
    doc="Where the model of new sessions runs; sent at the start and when settings change.",
)
INBOX_LIST = Method(
    name="_pilotfish/inbox/list",
    direction="client_to_server",
    kind="request",
    params=interaction.InboxListParams,
    result=interaction.InboxListResponse,
    doc="All open questions.",
)
INBOX_ANSWER = Method(
    name="_pilotfish/inbox/answer",
    direction="client_to_server",
    kind="request",
    params=interaction.InboxAnswerParams,
    result=interaction.InboxAnswerResponse,
    doc="Answer a question; idempotent.",
)
PERMISSIONS_LIST = Method(
    name="_pilotfish/permissions/list",
    direction="client_to_server",
    kind="request",
    params=permissions.PermissionsListParams,
    result=permissions.PermissionsListResponse,
    doc="The rules in force and the problems in their files.",
)
PERMISSIONS_UPDATE = Method(
    name="_pilotfish/permissions/update",
    direction="client_to_server",
    kind="request",
    params=permissions.PermissionsUpdateParams,
    result=permissions.PermissionsUpdateResponse,
    doc="Change rules, mode or trusted folders.",
)
PERMISSIONS_CHANGED = Method(
    name="_pilotfish/permissions/changed",
    direction="server_to_client",
    kind="notification",
    params=permissions.PermissionsChangedParams,
    doc="Rules, mode or trust are no longer what they were.",
)
PERMISSIONS_EXPLAIN = Method(
    name="_pilotfish/permissions/explain",
    direction="client_to_server",
    kind="request",
    params=permissions.PermissionsExplainParams,
    result=permissions.PermissionsExplainResponse,
    doc="What would be decided about a call, phase by phase.",
)
PERMISSIONS_DECISIONS = Method(
    name="_pilotfish/permissions/decisions",
    direction="client_to_server",
    kind="request",
    params=permissions.PermissionsDecisionsParams,
    result=permissions.PermissionsDecisionsResponse,
    doc="What was decided lately.",
)
PERMISSIONS_REPLAY = Method(
    name="_pilotfish/permissions/replay",
    direction="client_to_server",
    kind="request",
    params=permissions.PermissionsReplayParams,
    result=permissions.PermissionsReplayResponse,
    doc="What changed rules would have meant for past calls.",
)
PERMISSIONS_SUGGEST = Method(
    name="_pilotfish/permissions/suggest",
    direction="client_to_server",
    kind="request",
    params=permissions.PermissionsSuggestParams,
    result=permissions.PermissionsSuggestResponse,
    doc="The smallest rules that cover what the user has approved.",
)
EDITS_CHANGES = Method(
    name="_pilotfish/edits/changes",
    direction="client_to_server",
    kind="request",
    params=edits.EditsChangesParams,
    result=edits.EditsChangesResponse,
    doc="What the agent changed and nobody has looked at, by file and hunk.",
)
EDITS_ACCEPT = Method(
    name="_pilotfish/edits/accept",
    direction="client_to_server",
    kind="request",
    params=edits.EditsChooseParams,
    result=edits.EditsTakenResponse,
    doc="The user has looked at changes.",
)
EDITS_REJECT = Method(
    name="_pilotfish/edits/reject",
    direction="client_to_server",
    kind="request",
    params=edits.EditsChooseParams,
    result=edits.EditsTakenResponse,
    doc="Take changes back.",
)
EDITS_CHECKPOINTS = Method(
    name="_pilotfish/edits/checkpoints",
    direction="client_to_server",
    kind="request",
    params=edits.EditsCheckpointsParams,
    result=edits.EditsCheckpointsResponse,
    doc="The turns that can be gone back to.",
)
EDITS_COMPARE = Method(
    name="_pilotfish/edits/compare",
    direction="client_to_server",
    kind="request",
    params=edits.EditsCompareParams,
    result=edits.EditsCompareResponse,
    doc="Files as they were before a turn, to be compared with what they are now.",
)
EDITS_REWIND = Method(
    name="_pilotfish/edits/rewind",
    direction="client_to_server",
    kind="request",
    params=edits.EditsRewindParams,
    result=edits.EditsRewindResponse,
    doc="Go back to before a turn, or undo a turn or a call; with a preview.",
)
EDITS_BLAME = Method(
    name="_pilotfish/edits/blame",
    direction="client_to_server",
    kind="request",
    params=edits.EditsBlameParams,
    result=edits.EditsBlameResponse,
    doc="Which turn, call and approval wrote the lines of a file.",
)
EDITS_CHANGED = Method(
    name="_pilotfish/edits/changed",
    direction="server_to_client",
    kind="notification",
    params=edits.EditsChangedParams,
    doc="What waits for review in some files is not what it was.",
)
DOCTOR = Method(
    name="_pilotfish/doctor",
    direction="client_to_server",
    kind="request",
    params=reports.DoctorParams,
    result=reports.DoctorResponse,
    doc="What is well and what is not, as `pilotfish doctor` finds it.",
)
COMMIT_MESSAGE = Method(
    name="_pilotfish/commit/message",
    direction="client_to_server",
    kind="request",
    params=reports.CommitMessageParams,
    result=reports.CommitMessageResponse,
    doc="Words for a commit, by a small model.",
)
PROCESSES_LIST = Method(
    name="_pilotfish/processes/list",
    direction="client_to_server",
    kind="request",
    params=processes.ProcessesListParams,
    result=processes.ProcessesListResponse,
    doc="All child processes of the server.",
)
PROCESSES_STOP = Method(
    name="_pilotfish/processes/stop",
    direction="client_to_server",
    kind="request",
    params=processes.ProcessStopParams,
    result=processes.ProcessStopResponse,
    doc="End a child process and everything below it.",
)
TASKS_OUTPUT = Method(
    name="_pilotfish/tasks/output",
    direction="client_to_server",
    kind="request",
    params=tasks.TaskParams,
    result=tasks.TaskOutputResponse,
    doc="The last lines of a background command.",
)
TASKS_STOP = Method(
    name="_pilotfish/tasks/stop",
    direction="client_to_server",
    kind="request",
    params=tasks.TaskParams,
    result=tasks.TaskTakenResponse,
    doc="End a background command.",
)
TASKS_KEEP = Method(
    name="_pilotfish/tasks/keep",
    direction="client_to_server",
    kind="request",
    params=tasks.TaskKeepParams,
    result=tasks.TaskTakenResponse,
    doc="Let a background command go on when its session is closed, or no longer.",
)
TASKS_BACKGROUND = Method(
    name="_pilotfish/tasks/background",
    direction="client_to_server",
    kind="request",
    params=tasks.TaskBackgroundParams,
    result=tasks.TaskTakenResponse,
    doc="Let a running command go on in the background.",
)
MENTIONS_COMPLETE = Method(
    name="_pilotfish/mentions/complete",
    direction="client_to_server",
    kind="request",
    params=mentions.MentionsCompleteParams,
    result=mentions.MentionsCompleteResponse,
    doc="Files, folders and symbols that somebody who types a mention may mean.",
)
EDITOR_CONTEXT = Method(
    name="_pilotfish/editor/context",
    direction="client_to_server",
    kind="notification",
    params=editor.EditorContextParams,
    doc="Active file, selection and open tabs.",
)
EDITOR_SAVE = Method(
    name="_pilotfish/editor/save",
    direction="server_to_client",
    kind="request",
    params=editor.SaveParams,
    result=editor.SaveResponse,
    doc="Save an open document after the agent changed it.",
)
EDITOR_LANGUAGES = Method(
    name="_pilotfish/editor/languages",
    direction="client_to_server",
    kind="notification",
    params=editor.LanguagesParams,
    doc="Languages of open documents for which nobody else in the editor provides symbols.",
)
EDITOR_SERVES = Method(
    name="_pilotfish/editor/serves",
    direction="server_to_client",
    kind="request",
    params=editor.ServesParams,
    result=editor.ServesResponse,
    doc="Whether somebody else in the editor serves the language of a document.",
)

EDITOR_CELLS = Method(
    name="_pilotfish/editor/cells",
    direction="server_to_client",
    kind="request",
    params=editor.NotebookEditParams,
    result=editor.NotebookEditResponse,
    doc="Change the cells of an open notebook.",
)
EDITOR_DIAGNOSTICS = Method(
    name="_pilotfish/editor/diagnostics",
    direction="server_to_client",
    kind="request",
    params=editor.DiagnosticsParams,
    result=editor.DiagnosticsResponse,
    doc="What the editor's language servers find, at once or after an edit.",
)
EDITOR_LOCATE = Method(
    name="_pilotfish/editor/locate",
    direction="server_to_client",
    kind="request",
    params=editor.LocateParams,
    result=editor.LocateResponse,
    doc="Where a symbol is defined, used or implemented, says the editor.",
)
EDITOR_HOVER = Method(
    name="_pilotfish/editor/hover",
    direction="server_to_client",
    kind="request",
    params=editor.PlaceParams,
    result=editor.HoverResponse,
    doc="Signature and documentation of a symbol, says the editor.",
)
EDITOR_SYMBOLS = Method(
    name="_pilotfish/editor/symbols",
    direction="server_to_client",
    kind="request",
    params=editor.SymbolsParams,
    result=editor.SymbolsResponse,
    doc="Symbols of a document or of the project, says the editor.",
)
EDITOR_HIERARCHY = Method(
    name="_pilotfish/editor/hierarchy",
    direction="server_to_client",
    kind="request",
    params=editor.HierarchyParams,
    result=editor.HierarchyResponse,
    doc="Callers of a function and what it calls, says the editor.",
)
EDITOR_RENAME = Method(
    name="_pilotfish/editor/rename",
    direction="server_to_client",
    kind="request",
    params=editor.RenameParams,
    result=editor.RenameResponse,
    doc="What a rename would change, says the editor; it changes nothing.",
)
METHODS: tuple[Method, ...] = (
    SNAPSHOT,
    HISTORY,
    ASIDE,
    ASIDE_TEXT,
    SESSIONS_SEARCH,
    SESSIONS_RENAME,
    SESSIONS_EXPORT,
    STATE,
    STATUS,
    PROVIDER,
    INBOX_LIST,
    INBOX_ANSWER,
    PERMISSIONS_LIST,
    PERMISSIONS_UPDATE,
    PERMISSIONS_CHANGED,
    PERMISSIONS_EXPLAIN,
    PERMISSIONS_DECISIONS,
    PERMISSIONS_REPLAY,
    PERMISSIONS_SUGGEST,
    EDITS_CHANGES,
    EDITS_ACCEPT,
    EDITS_REJECT,
    EDITS_CHECKPOINTS,
    EDITS_COMPARE,
    EDITS_REWIND,
    EDITS_BLAME,
    EDITS_CHANGED,
    DOCTOR,
    COMMIT_MESSAGE,
    PROCESSES_LIST,
    PROCESSES_STOP,
    TASKS_OUTPUT,
    TASKS_STOP,
    TASKS_KEEP,
    TASKS_BACKGROUND,
    MENTIONS_COMPLETE,
    EDITOR_CONTEXT,
    EDITOR_LANGUAGES,
    EDITOR_SERVES,
    EDITOR_SAVE,
    EDITOR_CELLS,
    EDITOR_DIAGNOSTICS,
    EDITOR_LOCATE,
    EDITOR_HOVER,
    EDITOR_SYMBOLS,
    EDITOR_HIERARCHY,
    EDITOR_RENAME,
    OUTPUT,
    *CODE_METHODS,
    *AGENT_METHODS,
    COMMANDS_LIST,
    *QUEUE_METHODS,
    *TESTING_METHODS,
)

META_MODELS: tuple[type[WireModel], ...] = (
    InitializationOptions,
    session.NewSessionMeta,
    session.ForkMeta,
    session.CloseMeta,
    session.UpdateMeta,
    interaction.PermissionMeta,
    interaction.AnswerMeta,
    interaction.ElicitationMeta,
    interaction.FormAnswer,
)
"""Models that travel inside ``initialize``, and inside ``_meta.pilotfish`` of ACP messages."""
