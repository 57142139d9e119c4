"""The tools of a session.

Owns: look-up by name and alias, a stable order, which schemas the model sees.
Does not own: which tools are denied (the permission gate) or how calls run (``executor``).
"""

import difflib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pilotfish.core.calls import ToolCall
from pilotfish.llm.model import ToolSchema
from pilotfish.tooling.arguments import container_in
from pilotfish.tooling.deferred import EXECUTE_TOOL, DeferredTool
from pilotfish.tooling.schemas import schema_of
from pilotfish.tooling.spec import Tool

AnyTool = Tool[Any]

_NEAR_NAMES = 3
"""How many similar names an unknown-tool message offers."""

_NAMES = "{names}"
"""Stands in a description for the names of the tools that must be looked for."""


class ToolRegistry:
    """An immutable set of tools, sorted by name so that requests stay byte-stable."""

    def __init__(
        self,
        tools: Iterable[AnyTool],
        also_deferred: frozenset[str] = frozenset(),
        *,
        shows_all: bool = False,
    ) -> None:
        """Take the tools.

        Args:
            tools: All of them.
            also_deferred: Some that the model must look for, whatever else holds.
            shows_all: Whether the model sees those, too, that could wait until it looks for them.
        """
        self._also_deferred = also_deferred
        self._shows_all = shows_all
        self._tools = tuple(sorted(tools, key=lambda tool: tool.spec.name))
        self._by_name: dict[str, AnyTool] = {}
        for tool in self._tools:
            for name in (tool.spec.name, *tool.spec.aliases):
                if name in self._by_name:
                    raise ValueError(f"two tools are called {name}")
                self._by_name[name] = tool
        self._deferred = tuple(
            _to_deferred(tool) for tool in self._tools if self._is_deferred(tool)
        )
        names = ", ".join(tool.name for tool in self._deferred)
        self._schemas = tuple(
            _to_schema(tool, names) for tool in self._tools if not self._is_deferred(tool)
        )
        self.listed = frozenset(schema.name for schema in self._schemas)
        """Names of the tools that the model sees."""

    def find(self, name: str) -> AnyTool | None:
        """Return the tool of that name or alias."""
        return self._by_name.get(name)

    def names(self) -> tuple[str, ...]:
        """Return the canonical names, sorted."""
        return tuple(tool.spec.name for tool in self._tools)

    def schemas(self) -> tuple[ToolSchema, ...]:
        """Return what the model sees; the same object for the life of the registry."""
        return self._schemas

    def deferred(self) -> tuple[DeferredTool, ...]:
        """Return what the model has to look for."""
        return self._deferred

    def stands_for(self, call: ToolCall) -> ToolCall | str:
        """Return the call that a call of ExecuteTool stands for; any other call as it is.

        Where it stands for nothing that may be called like this, why not is returned.
        """
        if call.name != EXECUTE_TOOL or call.input_error is not None:
            return call
        name, params = call.input.get("tool_name"), call.input.get("params", {})
        if isinstance(params, str):
            params = container_in(params)
        if not isinstance(name, str) or not isinstance(params, dict):
            return call
        target = self.find(name)
        if target is None:
            return self.explain_unknown(name)
        if not self._is_deferred(target):
            return f"{target.spec.name} is in your list of tools: call it directly."
        return replace(call, name=target.spec.name, input=params)

    def without(self, names: frozenset[str]) -> "ToolRegistry":
        """Return a registry that lacks the named tools."""
        kept = (tool for tool in self._tools if tool.spec.name not in names)
        return ToolRegistry(kept, self._also_deferred, shows_all=self._shows_all)

    def deferring(self, names: frozenset[str]) -> "ToolRegistry":
        """Return a registry in which the model has to look for the named tools, too."""
        if not names:
            return self
        return ToolRegistry(self._tools, self._also_deferred | names, shows_all=self._shows_all)

    def showing_all(self) -> "ToolRegistry":
        """Return a registry in which the model sees those, too, that could wait."""
        return ToolRegistry(self._tools, self._also_deferred, shows_all=True)

    def _is_deferred(self, tool: AnyTool) -> bool:
        can_wait = tool.spec.deferred and not self._shows_all
        return can_wait or tool.spec.name in self._also_deferred

    def explain_unknown(self, name: str) -> str:
        """Return the text for a call of a tool that does not exist, naming near ones."""
        near = difflib.get_close_matches(name, self._by_name, n=_NEAR_NAMES, cutoff=0.5)
        offer = f" Did you mean {' or '.join(near)}?" if near else ""
        return f"There is no tool called {name!r}.{offer} Available: {', '.join(self.names())}."


def _to_schema(tool: AnyTool, deferred: str) -> ToolSchema:
    there_are = f"There are: {deferred}." if deferred else ""
    return ToolSchema(
        name=tool.spec.name,
        description=tool.description().replace(_NAMES, there_are),
        input_schema=schema_of(tool.args_type),
    )


def _to_deferred(tool: AnyTool) -> DeferredTool:
    return DeferredTool(
        name=tool.spec.name,
        description=tool.description(),
        hint=tool.spec.search_hint,
        input_schema=schema_of(tool.args_type),
    )
