"""Prompts about code that the client asks for: from its palette, and what belongs to them.

Owns: decoding, which symbol or problem is meant, the answers.
Does not own: what the prompts say (``code_actions``, ``prompt_places``), what belongs to a symbol
(``session.related_code``).
"""

from collections.abc import Callable, Mapping, Sequence

from lsprotocol import types

from pilotfish.codeintel.enclosing import enclosing, qualified_name
from pilotfish.edges.channel import Handler
from pilotfish.edges.lsp.code_actions import fix_argument
from pilotfish.edges.lsp.code_prompts import CodePrompts
from pilotfish.edges.lsp.prompt_places import (
    TASKS,
    position_of,
    prompt_argument,
    range_of,
    selection_of,
    symbol_of,
)
from pilotfish.ports.code import Symbol
from pilotfish.ports.editor import EditorPort
from pilotfish.session.manager import SessionManager
from pilotfish.session.related_code import Places, Related, RelatedCode, RelatedPlace
from pilotfish.session.rules_desk import Place
from pilotfish.session.session import Session
from pilotfish.wire import code_prompts as wire
from pilotfish.wire.editor import EditorRange

NO_SYMBOL = (
    "There is no function, class or other symbol at the cursor. Select the code that you mean."
)
NO_PROBLEM = "No problem is reported at the cursor."


class AskedPrompts:
    """Serves one client."""

    def __init__(
        self,
        prompts: CodePrompts,
        manager: SessionManager,
        session: Callable[[str], Session],
        editor: EditorPort,
    ) -> None:
        """Serve a client.

        Args:
            prompts: Knows the outlines of documents.
            manager: Knows who can be asked about code, and the rules.
            session: Returns an open session.
            editor: The client's editor, which is asked first.
        """
        sources = manager.code_for_editor()
        if editor.code is not None:
            sources = sources.with_source(editor.code, 0)
        self._prompts = prompts
        self._rules = manager.desk
        self._related = RelatedCode(sources, manager.desk, editor)
        self._session = session

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            wire.CODE_PROMPT.name: Handler(params=wire.CodePromptParams, call=self._prompt),
            wire.CODE_RELATED.name: Handler(params=wire.CodeRelatedParams, call=self._belonging),
        }

    async def _prompt(self, params: wire.CodePromptParams) -> wire.CodePromptResponse:
        symbols = await self._prompts.symbols(params.uri)
        selected = _to_range(params.range)
        chain = enclosing(symbols, position_of(selected.start))
        if params.what == "fix":
            found = _meant(params.problems, selected, chain)
            if not found:
                return self._nothing(NO_PROBLEM, params)
            argument = fix_argument(params.uri, selected, found, symbols)
        elif selected.start != selected.end:
            place = selection_of(params.uri, selected, chain)
            argument = prompt_argument(TASKS[params.what], place, params.uri, selected)
        elif chain:
            place = symbol_of(params.uri, chain)
            shown = range_of(chain[-1].span)
            argument = prompt_argument(TASKS[params.what], place, params.uri, shown)
        else:
            return self._nothing(NO_SYMBOL, params)
        start, end = argument["range"]["start"], argument["range"]["end"]
        return wire.CodePromptResponse(
            prompt=argument["prompt"],
            send=argument["send"],
            inline=argument["inline"],
            range=EditorRange(
                start_line=start["line"],
                start_character=start["character"],
                end_line=end["line"],
                end_character=end["character"],
            ),
        )

    def _nothing(self, why: str, params: wire.CodePromptParams) -> wire.CodePromptResponse:
        return wire.CodePromptResponse(
            prompt="", problem=self._prompts.translate(why), range=params.range
        )

    async def _belonging(self, params: wire.CodeRelatedParams) -> wire.CodeRelatedResponse:
        symbols = await self._prompts.symbols(params.uri)
        chain = enclosing(symbols, position_of(_to_range(params.range).start))
        if not chain:
            return wire.CodeRelatedResponse()
        session = None if params.session_id is None else self._session(params.session_id)
        root = self._rules.default_root if session is None else session.data.cwd
        found = await self._related.of(Place(root=root, session=session), chain[-1])
        return wire.CodeRelatedResponse(
            name=qualified_name(chain), text=related_text(qualified_name(chain), found)
        )


def related_text(name: str, found: Related) -> str:
    """Return what belongs to a symbol as lines for the model; empty when nothing is known."""
    parts = [
        *_listed(f"Where `{name}` is used:", found.users),
        *_listed(f"What `{name}` calls:", found.used),
    ]
    return "\n".join(parts)


def _listed(heading: str, places: Places[RelatedPlace]) -> list[str]:
    if not places.shown:
        return []
    more = [f"- and {places.more} more"] if places.more else []
    return [heading, *(_line(each) for each in places.shown), *more]


def _line(place: RelatedPlace) -> str:
    symbol = f" ({place.symbol})" if place.symbol else ""
    text = f": {place.text}" if place.text else ""
    return f"- {place.path}:{place.line}{symbol}{text}"


def _meant(
    problems: Sequence[wire.CodeProblem], selected: types.Range, chain: Sequence[Symbol]
) -> list[types.Diagnostic]:
    """Return the problems in the selected lines, else those of the symbol around the cursor."""
    inside = [each for each in problems if _meets(each.range, selected)]
    if not inside and chain and selected.start == selected.end:
        around = range_of(chain[-1].span)
        inside = [each for each in problems if _meets(each.range, around)]
    return [_to_diagnostic(each) for each in inside]


def _meets(found: EditorRange, lines: types.Range) -> bool:
    return found.start_line <= lines.end.line and lines.start.line <= found.end_line


def _to_diagnostic(problem: wire.CodeProblem) -> types.Diagnostic:
    related = [
        types.DiagnosticRelatedInformation(
            location=types.Location(uri=each.uri, range=_at(each.line)), message=each.message
        )
        for each in problem.related
    ]
    return types.Diagnostic(
        range=_to_range(problem.range),
        message=problem.message,
        source=problem.source or None,
        code=problem.code or None,
        related_information=related or None,
    )


def _at(line: int) -> types.Range:
    start = types.Position(line=line, character=0)
    return types.Range(start=start, end=start)


def _to_range(found: EditorRange) -> types.Range:
    return types.Range(
        start=types.Position(line=found.start_line, character=found.start_character),
        end=types.Position(line=found.end_line, character=found.end_character),
    )
