"""Permission modes as clients list them.

Owns: names and descriptions, in the order of a picker (the risky one last).

Imported before anything heavy: keep to the standard library.
"""

MODES: tuple[dict[str, str], ...] = (
    {
        "id": "default",
        "name": "Ask before changes",
        "description": "Reads freely inside the workspace; edits and commands ask.",
    },
    {
        "id": "acceptEdits",
        "name": "Accept edits",
        "description": "Edits inside the workspace run without asking; commands ask.",
    },
    {
        "id": "plan",
        "name": "Plan",
        "description": "Looks and plans; changes nothing.",
    },
    {
        "id": "autoInProject",
        "name": "Auto in project",
        "description": "Edits and commands that provably stay inside the workspace run; others ask.",
    },
    {
        "id": "dontAsk",
        "name": "Don't ask",
        "description": "Reads, and does what rules allow; refuses everything that would ask.",
    },
    {
        "id": "bypassPermissions",
        "name": "Bypass permissions",
        "description": "Runs everything without asking, except what is catastrophic.",
    },
)
