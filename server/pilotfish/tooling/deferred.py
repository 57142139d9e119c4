"""Finding tools that are not in the list which the model gets with each request.

Owns: the record of such a tool, what a query means, and which tools fit it best.
Does not own: which tools are deferred (``registry``), running them (``executor``).
See also: design 02 §10, 06 §14. The list that goes with each request never changes in a session,
however many tools there are: the rest is found by ``ToolSearch`` and called through ``ExecuteTool``.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from pilotfish.core.jsontypes import JsonObject
from pilotfish.util.records import dataclass

SEARCH_TOOL = "ToolSearch"
EXECUTE_TOOL = "ExecuteTool"

MAX_HITS = 5
"""Tools that one search returns."""

MIN_SCORE = 0.1
"""Score below which a tool does not fit the query."""

_KEYWORD_WEIGHT, _TEXT_WEIGHT = 0.4, 0.6
_NAME_WEIGHT, _HINT_WEIGHT, _DESCRIPTION_WEIGHT = 3.0, 2.5, 1.0
_EXACT_PART, _EXACT_MCP_PART, _PARTIAL_PART, _PARTIAL_MCP_PART = 10, 12, 5, 6
_IN_HINT, _IN_DESCRIPTION = 4, 2

_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Characters of scripts that put no spaces between words, or endings behind them: each counts alone."""

_WORDS = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ENDINGS = ("ing", "ies", "es", "ed", "s")
_MCP = "mcp__"


@dataclass(frozen=True, kw_only=True)
class DeferredTool:
    """A tool that the model has to look for."""

    name: str
    description: str
    hint: str
    """A few words for the search."""
    input_schema: JsonObject

    @property
    def tokens(self) -> int:
        """What it would take in every request, by the usual estimate (design 02 §5.2)."""
        schema = json.dumps(self.input_schema, ensure_ascii=False)
        return (len(self.name) + len(self.description)) // 4 + len(schema) // 2

    def shown(self) -> str:
        """Return what the model needs to call it."""
        schema = json.dumps(self.input_schema, ensure_ascii=False)
        return f"## {self.name}\n{self.description.strip()}\nInput: {schema}"


def search(query: str, tools: Sequence[DeferredTool]) -> list[DeferredTool]:
    """Return the tools that a query means, best first.

    ``select:A,B`` names them. ``discover:words`` and ``words`` rank by relevance; a word with ``+``
    in front must occur.
    """
    text = query.strip()
    if text.lower().startswith("select:"):
        return _selected(text.partition(":")[2], tools)
    if text.lower().startswith("discover:"):
        text = text.partition(":")[2]
    exact = [tool for tool in tools if tool.name.lower() == text.lower()]
    if exact:
        return exact
    if text.startswith(_MCP):
        return [tool for tool in tools if tool.name.startswith(text)][:MAX_HITS]
    return _ranked(text, tools)


def _selected(names: str, tools: Sequence[DeferredTool]) -> list[DeferredTool]:
    wanted = [name.strip().lower() for name in names.split(",")]
    by_name = {tool.name.lower(): tool for tool in tools}
    return [by_name[name] for name in dict.fromkeys(wanted) if name in by_name]


def _ranked(text: str, tools: Sequence[DeferredTool]) -> list[DeferredTool]:
    words = text.lower().split()
    required = [stem for word in words if word.startswith("+") for stem in _stems(word)]
    wanted = _stems(text)
    if not wanted:
        return []
    index = _Index.of(tuple(tools))
    fitting = [
        (score, tool)
        for tool in tools
        if all(stem in index.weights[tool.name] for stem in required)
        and (score := index.score(tool, wanted)) >= MIN_SCORE
    ]
    # Equal scores keep the order of the names, so that the same query has the same answer.
    fitting.sort(key=lambda pair: -pair[0])
    return [tool for _, tool in fitting[:MAX_HITS]]


class _Index:
    """Weights of the words of a set of tools."""

    def __init__(self, tools: tuple[DeferredTool, ...]) -> None:
        self.weights = {tool.name: _weights(tool) for tool in tools}
        spread = Counter(word for weights in self.weights.values() for word in weights)
        self._rarity = {word: math.log(1 + len(tools) / count) for word, count in spread.items()}

    @staticmethod
    @lru_cache(maxsize=4)
    def _cached(names: tuple[tuple[str, str, str], ...]) -> "_Index":
        return _Index(
            tuple(
                DeferredTool(name=name, hint=hint, description=text, input_schema={})
                for name, hint, text in names
            )
        )

    @classmethod
    def of(cls, tools: tuple[DeferredTool, ...]) -> "_Index":
        """Return the index of a set of tools, made once for each set."""
        return cls._cached(tuple((tool.name, tool.hint, tool.description) for tool in tools))

    def score(self, tool: DeferredTool, wanted: list[str]) -> float:
        """Return how well a tool fits, between 0 and about 1."""
        keyword = _keyword_score(tool, wanted) / (_EXACT_MCP_PART * len(wanted))
        return _KEYWORD_WEIGHT * keyword + _TEXT_WEIGHT * self._cosine(tool, wanted)

    def _cosine(self, tool: DeferredTool, wanted: list[str]) -> float:
        document = {
            word: weight * self._rarity[word] for word, weight in self.weights[tool.name].items()
        }
        query = {word: self._rarity.get(word, 0.0) for word in wanted}
        product = sum(document.get(word, 0.0) * weight for word, weight in query.items())
        size = math.hypot(*document.values()) * math.hypot(*query.values())
        return product / size if size else 0.0


def _keyword_score(tool: DeferredTool, wanted: list[str]) -> float:
    parts = _stems(tool.name)
    hint, description = set(_stems(tool.hint)), set(_stems(tool.description))
    is_mcp = tool.name.startswith(_MCP)
    score = 0
    for word in wanted:
        if word in parts:
            score += _EXACT_MCP_PART if is_mcp else _EXACT_PART
        elif any(word in part for part in parts):
            score += _PARTIAL_MCP_PART if is_mcp else _PARTIAL_PART
        elif word in hint:
            score += _IN_HINT
        elif word in description:
            score += _IN_DESCRIPTION
    return score


def _weights(tool: DeferredTool) -> dict[str, float]:
    weights: dict[str, float] = {}
    fields = (
        (tool.name, _NAME_WEIGHT),
        (tool.hint, _HINT_WEIGHT),
        (tool.description, _DESCRIPTION_WEIGHT),
    )
    for text, weight in fields:
        for word in _stems(text):
            weights[word] = weights.get(word, 0.0) + weight
    return weights


def _stems(text: str) -> list[str]:
    """Return the words of a text without their endings; names are taken apart."""
    plain = _CAMEL.sub(" ", text.removeprefix(_MCP)).lower()
    return [_stem(word) for word in _WORDS.findall(plain)]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
