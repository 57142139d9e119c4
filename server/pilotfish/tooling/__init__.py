"""What a tool is and how calls are run.

Owns: the tool interface, the registry, the executor, the scheduler, result budgets.
Does not own: permissions (a gate in front), any single tool (``tools``).
"""
