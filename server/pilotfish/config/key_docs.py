"""What each key of a settings file means, for people.

Owns: one text per key, its default, and who may set it. A test checks that no key is missing.
Does not own: types and limits (``schema``), the merge (``merge``).
"""

from typing import get_args

from pilotfish.config.code_key_docs import CODE_KEY_DOCS
from pilotfish.config.key_doc import Audience, KeyDoc
from pilotfish.config.model_section import ProviderName
from pilotfish.config.modes import SETTABLE_MODES
from pilotfish.config.schema import BackgroundPrompts, PlanEagerness
from pilotfish.core.permission import RuleSource

AUDIENCE_TEXT: dict[Audience, str] = {
    "all": "Any settings file may set it.",
    "tightening": "Any settings file may set it; a project that is not trusted can only tighten.",
    "trusting": "Any settings file may set it; a project's value waits until the folder is trusted.",
    "personal": "You may set it; a project may not, trusted or not.",
    "user": "Only your own user settings and managed settings may set it.",
    "policy": "Only managed settings may set it.",
}


def _switch(meaning: str, audience: Audience = "all") -> KeyDoc:
    return KeyDoc(meaning=meaning, default="false", audience=audience, values=("true", "false"))


KEY_DOCS: dict[str, KeyDoc] = {
    "permissions": KeyDoc(meaning="What may run unasked, what asks, and what never runs."),
    "permissions.allow": KeyDoc(
        meaning="Rules for what runs without a question. In a project that is not trusted they "
        "cannot pass the check for dangerous commands.",
        default="[]",
    ),
    "permissions.ask": KeyDoc(
        meaning="Rules for what asks. An allow rule that is as specific wins, unless "
        "`askBeatsAllow` is on.",
        default="[]",
    ),
    "permissions.deny": KeyDoc(
        meaning="Rules for what never runs. They win over everything, whichever file they stand in.",
        default="[]",
    ),
    "permissions.additionalDirectories": KeyDoc(
        meaning="Folders beside the workspace whose files count as the project's. Relative paths "
        "start at the project.",
        default="[]",
        audience="trusting",
    ),
    "permissions.trustedDirectories": KeyDoc(
        meaning="Folders beside the workspace that count as trusted, as `additionalDirectories` do.",
        default="[]",
        audience="trusting",
    ),
    "permissions.defaultMode": KeyDoc(
        meaning="The permission mode that a new session begins in. No project may choose "
        "`bypassPermissions`.",
        default='"default"',
        audience="tightening",
        values=SETTABLE_MODES,
    ),
    "permissions.subagentMode": KeyDoc(
        meaning="The permission mode of every sub-agent, whatever its definition says. In plan mode and in "
        "`dontAsk` agents get no further than the conversation, and never to a mode that asks nothing.",
        default="none: the definition and the parent decide",
        audience="tightening",
        values=SETTABLE_MODES,
    ),
    "permissions.disableBypassPermissionsMode": KeyDoc(
        meaning='With `"disable"` nobody can choose the mode that runs nearly everything unasked. '
        "One file that says so is enough.",
        default="none",
        values=("disable",),
    ),
    "permissions.disableAutoMode": KeyDoc(
        meaning='For the mode `auto`, which Pilotfish does not have yet: with `"disable"` nobody will be '
        "able to choose it. One file that says so is enough.",
        default="none",
        values=("disable",),
    ),
    "permissions.askBeatsAllow": _switch(
        "Whether a matching ask rule wins over every allow rule. One file that says so is enough."
    ),
    "permissions.protectSecrets": _switch(
        "Whether reading files that usually hold secrets (`.env`, keys, credentials) asks unless a "
        "rule allows it. One file that says so is enough."
    ),
    "permissions.backgroundPrompts": KeyDoc(
        meaning="Where the questions of background agents go: `bubble` brings them to you, `deny` "
        "refuses what would ask.",
        default='"bubble"',
        audience="tightening",
        values=get_args(BackgroundPrompts),
        meanings=("They are brought to you.", "What would ask is refused."),
    ),
    "permissions.promptTimeoutMs": KeyDoc(
        meaning="How many milliseconds a question waits before it counts as refused; 0 waits for ever.",
        default="0",
        audience="trusting",
    ),
    "permissions.allowManagedPermissionRulesOnly": _switch(
        "Whether only the allow rules of the managed settings count.", "policy"
    ),
    "model": KeyDoc(meaning="Which model answers, and how much it may say."),
    "model.provider": KeyDoc(
        meaning="Where the model runs.",
        default="what the environment holds a key or an address for",
        audience="personal",
        values=get_args(ProviderName),
        meanings=(
            "Anthropic, or a server that speaks its Messages API",
            "OpenAI, or a server that speaks its chat completions API (Ollama, vLLM, llama.cpp, "
            "DeepSeek, OpenRouter…)",
            "Amazon Bedrock; the environment holds region (`AWS_REGION`) and credentials, the setting "
            "`model.name` the model",
            "Google Vertex AI; the environment holds region (`CLOUD_ML_REGION`), project "
            "(`ANTHROPIC_VERTEX_PROJECT_ID`) and credentials",
            "Microsoft Foundry; the environment holds resource (`ANTHROPIC_FOUNDRY_RESOURCE`) and key "
            "(`ANTHROPIC_FOUNDRY_API_KEY`), the setting `model.name` the deployment",
            "The small model inside Pilotfish, which plays three tasks and needs no network",
        ),
    ),
    "model.name": KeyDoc(
        meaning="Model to use: a name, or a short one such as `sonnet`. A session that has chosen one "
        "keeps it.",
        default="the provider's choice",
    ),
    "model.small": KeyDoc(
        meaning="The model for small side questions, such as a session's title.",
        default="the vendor's cheapest, or the session's own at another address",
    ),
    "model.baseUrl": KeyDoc(
        meaning="Address of a server, for example a local one. With the provider `openai` it usually "
        "ends in `/v1`; otherwise the server must speak the Messages API. Whoever is there gets your "
        "source code and your key.",
        default="the provider's own address",
        audience="personal",
    ),
    "model.fallback": KeyDoc(
        meaning="The model that takes over for the rest of a turn when the first one is overloaded "
        "three times in a row.",
        default="none",
    ),
    "model.idleTimeoutMs": KeyDoc(
        meaning="How many milliseconds the model may be silent before it is asked again.",
        default="90000",
    ),
    "model.maxTokens": KeyDoc(meaning="Longest reply, in tokens.", default="what the model can"),
    "model.thinkingBudgetTokens": KeyDoc(
        meaning="How many tokens the model may think; 0 asks for no thinking.", default="0"
    ),
    "model.effort": KeyDoc(
        meaning="How hard the model should try, in its vendor's words, such as `low`, `medium` or "
        "`high`. Not sent to a model that does not know it.",
        default="the model's own",
    ),
    "model.aliases": KeyDoc(
        meaning='Short names of your own: `{"fast": "some-model-id"}`.',
        default="{}",
        audience="personal",
    ),
    "model.prices": KeyDoc(
        meaning="US dollars per million tokens by model: "
        '`{"some-model-id": {"input": 1, "output": 4, "cacheRead": 0.1, "cacheWrite": 1.25}}`. '
        "Goes before the built-in list.",
        default="{}",
        audience="personal",
    ),
    "model.capabilities": KeyDoc(
        meaning="What a model can do, where the built-in list does not know it or is wrong: "
        '`{"some-model-id": {"contextTokens": 128000, "maxOutputTokens": 16000, '
        '"thinking": "none", "efforts": ["low", "high"], "images": false}}`.',
        default="{}",
        audience="personal",
    ),
    "read": KeyDoc(meaning="How files are read."),
    "read.dedup": KeyDoc(
        meaning="Whether reading a part of a file again that has not changed since points to the "
        "earlier result instead of repeating it.",
        default="true",
        values=("true", "false"),
    ),
    "edit": KeyDoc(meaning="What happens around an edit."),
    "edit.saveAfterEdit": KeyDoc(
        meaning="Whether an open document that was saved before an edit is saved after it.",
        default="true",
        values=("true", "false"),
    ),
    "shell": KeyDoc(meaning="How commands run."),
    "shell.background": KeyDoc(
        meaning="Whether commands may go on in the background while the conversation goes on.",
        default="true",
        values=("true", "false"),
    ),
    "shell.foregroundMs": KeyDoc(
        meaning="How many milliseconds a command may hold up the conversation before it goes on in "
        "the background; 0 waits until the command's own time limit.",
        default="15000",
    ),
    "shell.profile": KeyDoc(
        meaning="Whether commands know the functions, aliases and search path of your bash profile, "
        "which is read once.",
        default="true",
        values=("true", "false"),
    ),
    "shell.powershell": KeyDoc(
        meaning="Whether new sessions are offered PowerShell (`pwsh`) beside bash on systems other than "
        "Windows. On Windows they always are.",
        default="false",
        values=("true", "false"),
    ),
    "shell.terminal": KeyDoc(
        meaning="Whether commands run in terminals of the editor, in sight, where it offers them. "
        "Questions and limits stay the same; what a command takes is seen where it runs on this machine.",
        default="false",
        values=("true", "false"),
    ),
    "shell.maxMemoryMb": KeyDoc(
        meaning="How much memory, in MiB, a command and all that it starts may take before it is ended.",
        default="three quarters of the machine's memory",
    ),
    "shell.maxProcesses": KeyDoc(
        meaning="How many processes a command and all that it starts may be at once before it is ended.",
        default="2000",
    ),
    "shell.idleMinutes": KeyDoc(
        meaning="How many minutes a command and all that it starts may neither write nor compute before "
        "it is ended; 0 means for ever.",
        default="480",
    ),
    **CODE_KEY_DOCS,
    "sessions": KeyDoc(meaning="How sessions are kept."),
    "sessions.generateTitles": KeyDoc(
        meaning="Whether a small model names a session after its first turn, at the cost of one small call.",
        default="false; in VS Code true",
        audience="trusting",
    ),
    "tools": KeyDoc(meaning="The tools of the model."),
    "tools.deferral": KeyDoc(
        meaning="`on`: tools that are seldom used stay out of the list that goes with every request, and "
        "the model looks for them. `off`: it sees all of them. `auto`: they stay out when they would take "
        "more than a tenth of the model's window, `auto:N`: more than N percent. It counts from the next "
        "session on.",
        default='"on"',
    ),
    "taskList": KeyDoc(meaning="The list of what is to be done."),
    "taskList.tools": KeyDoc(
        meaning="With which tools the model keeps the list of what is to be done: `tasks` for one on "
        "disk that agents share, with owners and tasks that wait for others; `todo` for one that is "
        "written whole each time. It counts from the next session on.",
        default='"auto"',
        values=("auto", "todo", "tasks"),
        meanings=(
            "`tasks`, but `todo` for `pilotfish run`",
            "One list for each agent, written whole each time",
            "One list on disk that agents share",
        ),
    ),
    "skills": KeyDoc(meaning="How skills are used."),
    "skills.allowedToolsMode": KeyDoc(
        meaning="What `allowed-tools` of a skill with `context: fork` means for the agent that works on "
        "it. Where several files say something, `restrict` wins.",
        default='"grant"',
        values=("grant", "restrict"),
        meanings=(
            "What it names runs unasked; other tools are there as usual",
            "The same, and the agent has no other tools",
        ),
    ),
    "statusLine": KeyDoc(
        meaning="A line of your own under the chat: a command gets facts about the session as JSON and "
        "writes it. It runs in trusted folders only.",
        audience="personal",
    ),
    "statusLine.type": KeyDoc(
        meaning="What the line comes from.", audience="personal", values=("command",)
    ),
    "statusLine.command": KeyDoc(
        meaning="A command that writes a line of your own under the chat from facts about the session, "
        "which it gets as JSON. It runs in trusted folders alone, by `sh` (on Windows Git's bash, else "
        "PowerShell), for five seconds at most. When it writes nothing the line goes, a failure leaves "
        "it as it is.",
        default="none",
        audience="personal",
    ),
    "statusLine.refreshInterval": KeyDoc(
        meaning="After how many seconds the status line's command runs again when nothing happens; "
        "0 or less: never.",
        default="0",
        audience="personal",
    ),
    "statusLine.padding": KeyDoc(
        meaning="Spaces on both sides of the status line.", default="0", audience="personal"
    ),
    "agents": KeyDoc(
        meaning="Sub-agents: how many there may be, and how long one is waited for.",
        audience="trusting",
    ),
    "agents.maxDepth": KeyDoc(
        meaning="How deep agents may start each other: 1 lets only the conversation start some, 0 nobody.",
        default="3",
        audience="trusting",
    ),
    "agents.maxRunning": KeyDoc(
        meaning="How many agents of a session may run at once.", default="64", audience="trusting"
    ),
    "agents.maxTurns": KeyDoc(
        meaning="How many calls of the model an agent may make for its task, unless its definition says.",
        default="as many as any turn",
        audience="trusting",
    ),
    "agents.background": KeyDoc(
        meaning="Whether agents may go on in the background. It counts from the next session on.",
        default="true",
        audience="trusting",
        values=("true", "false"),
    ),
    "agents.autoBackgroundMs": KeyDoc(
        meaning="After how many milliseconds an agent goes on in the background by itself; 0: never.",
        default="120000",
        audience="trusting",
    ),
    "planMode": KeyDoc(meaning="How plan mode works."),
    "planMode.directory": KeyDoc(
        meaning="Where plans are kept. A project may choose a folder of its own.",
        default="your state folder",
        audience="trusting",
    ),
    "planMode.eagerness": KeyDoc(
        meaning="How readily the model plans before it acts. It counts from the next session on.",
        default='"restrained"',
        values=get_args(PlanEagerness),
        meanings=(
            "For large changes.",
            "Also for smaller ones.",
        ),
    ),
    "maxTurns": KeyDoc(
        meaning="How many calls of the model one turn may take.",
        default="no limit of your own",
        audience="tightening",
    ),
    "maxBudgetUsd": KeyDoc(
        meaning="What a session may cost in US dollars, its agents included. It is held before each "
        "call of a model. For a model whose price is not known it cannot be kept, which is said before "
        "its first call: add its price to `model.prices`.",
        default="no limit",
        audience="tightening",
    ),
    "skipFileEditPermission": _switch(
        "Allows edits of the project's files without a question. Deny and ask rules and protected "
        "files go before it.",
        "user",
    ),
    "skipBashExecPermission": _switch(
        "Allows shell commands without a question. Deny and ask rules and what cannot be undone go "
        "before it.",
        "user",
    ),
    "skipSkillPermission": _switch(
        "Allows skills without a question. Deny and ask rules go before it.", "user"
    ),
    "skipMCPToolPermission": _switch(
        "Allows the tools of MCP servers without a question. Deny and ask rules go before it.",
        "user",
    ),
}
"""By the path of the key."""

_PROJECT = frozenset({"projectSettings", "localSettings"})


def when_not_set(doc: KeyDoc) -> str:
    """Say what holds where nobody has set a key, for an editor that cannot show it as a value."""
    return f"Not set: {doc.default}."


def why_not_here(key: str, source: RuleSource, *, trusted: bool) -> str:
    """Say why a key has no effect in the file of a source; empty when it may stand there."""
    doc = KEY_DOCS.get(key)
    if doc is None:
        return ""
    if doc.audience == "policy" and source != "policySettings":
        return "it counts in managed settings only"
    if doc.audience == "user" and source not in ("userSettings", "policySettings"):
        return "it counts in your own user settings and in managed ones only"
    if doc.audience == "personal" and source in _PROJECT:
        return "it is not taken from a project, trusted or not"
    if doc.audience == "trusting" and source in _PROJECT and not trusted:
        return "it waits until the folder is trusted"
    return ""
