"""Whether the configured model answers.

Owns: one small request, once, without further attempts; what came of it, in words.
Does not own: which model is configured (``llm.choose``), what a failure is called (``llm.errors``).
"""

from collections.abc import Mapping
from dataclasses import asdict

from pilotfish.config.model_section import ModelSettings
from pilotfish.llm.access import access_from
from pilotfish.llm.choose import ProviderChoice, Wanted, choose_provider
from pilotfish.llm.errors import ModelError
from pilotfish.llm.retry import RetryPolicy
from pilotfish.llm.small import SmallQuestion, ask_small
from pilotfish.util.clock import SystemClock
from pilotfish.util.records import dataclass

ONCE = RetryPolicy(max_attempts=1, max_connection_attempts=1, max_streams=1)
"""Somebody watches: the first answer is the one to show."""

QUESTION = SmallQuestion(
    system="This is a test of the connection. Answer with one word.",
    text="Say: ready",
    max_tokens=16,
    timeout_s=20.0,
)
"""As little as a model can be asked; some refuse fewer tokens."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """What came of it. Holds no secret."""

    ok: bool
    model: str
    kind: str = ""
    """A kind of ``ModelError``; empty when it answered."""
    text: str = ""
    """What is wrong; empty when it answered."""
    hint: str = ""
    """What to do."""

    def as_json(self) -> dict[str, bool | str]:
        """Return it for programs."""
        return asdict(self)


async def try_model(environment: Mapping[str, str], settings: ModelSettings) -> Trial:
    """Ask the configured model for a word."""
    wanted = Wanted(access=access_from(environment), settings=settings)
    choice = choose_provider(wanted, clock=SystemClock(), policy=ONCE)
    if choice.provider == "demo":
        return Trial(
            ok=False,
            model=choice.model,
            kind="not_configured",
            text="No model is configured: the built-in demo answers.",
            hint="Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or the address of a server "
            "(ANTHROPIC_BASE_URL, OPENAI_BASE_URL), in the environment.",
        )
    try:
        answered_by = await _ask(choice)
    except ModelError as error:
        return Trial(
            ok=False, model=choice.model, kind=error.kind, text=error.message, hint=error.hint
        )
    return Trial(ok=True, model=answered_by)


async def _ask(choice: ProviderChoice) -> str:
    choice.require_usable()
    model = choice.build()
    try:
        return (await ask_small(model, choice.model, QUESTION)).model
    finally:
        await model.close()
