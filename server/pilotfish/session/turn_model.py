"""Which model answers an agent's turns, and with what it is asked.

Owns: what settings, a choice of model and effort, and a model's facts mean for a turn.
Does not own: providers and their choice (``session.providers``), the turn (``engine.turn``).
"""

from collections.abc import Callable, Sequence

from pilotfish.config.schema import Settings
from pilotfish.core.messages import Usage
from pilotfish.engine.state import Substitute, TurnSettings
from pilotfish.llm.catalog import ModelFacts, facts_of
from pilotfish.llm.choose import ProviderChoice
from pilotfish.llm.errors import ModelError
from pilotfish.llm.model import Model, ToolSchema
from pilotfish.llm.rate_limits import NO_LIMITS, RateLimits
from pilotfish.llm.usage import cost_usd
from pilotfish.session.model_options import OWN_EFFORT, ModelOptions, model_options
from pilotfish.session.providers import ProviderHub
from pilotfish.session.session_settings import (
    escalated_max_tokens,
    max_context_tokens,
    max_tokens,
)
from pilotfish.session.side_calls import SmallModel

DEFAULT_MAX_MODEL_CALLS = 200
"""Model calls of one turn when no setting says otherwise: a loop must not run for ever."""


class TurnModel:
    """The model of one agent, the main one included."""

    def __init__(
        self,
        providers: ProviderHub,
        settings: Callable[[], Settings],
        chosen_model: Callable[[], str],
        chosen_effort: Callable[[], str],
    ) -> None:
        """Set it up.

        Args:
            providers: Where models come from.
            settings: Returns the settings as last read.
            chosen_model: Returns the model that was chosen; empty: what the settings say.
            chosen_effort: The same for how hard it is to try.
        """
        self._providers = providers
        self._settings = settings
        self._chosen_model = chosen_model
        self._chosen_effort = chosen_effort

    def choose(self, model: str | None = None) -> ProviderChoice:
        """Return the provider of a model; None: of the one that was chosen."""
        name = self._chosen_model() if model is None else model
        return self._providers.choose(self._settings().model, name)

    def choose_for_side(self) -> ProviderChoice:
        """Return the provider of what is asked beside the conversation.

        Raises:
            ModelError: It cannot be asked: not usable, or the built-in demo.
        """
        choice = self.choose()
        choice.require_usable()
        if choice.provider == "demo":
            raise ModelError(
                "not_configured",
                "The built-in demo answers no side questions.",
                hint="Configure a model first.",
            )
        return choice

    def require(self, name: str) -> str:
        """Return the id of a model by name or short name.

        Raises:
            ModelError: It cannot be used here; says why and what to do.
        """
        choice = self.choose(name)
        choice.require_usable()
        return choice.model

    def client(self, choice: ProviderChoice) -> Model:
        """Return what reaches a model."""
        return self._providers.model_for(self._settings().model, choice)

    def limits(self) -> RateLimits:
        """Return what is known of the provider's limits."""
        choice = self.choose()
        if choice.problem is not None:
            return NO_LIMITS
        return self._providers.model_for(self._settings().model, choice).limits

    def cost_of(self, model: str, usage: Usage) -> float | None:
        """Return what a call costs; None when the model's price is not known."""
        choice = self.choose()
        facts = facts_of(model, choice.facts)
        if not facts.prices:
            # Servers answer with a longer name than they were asked by.
            asked = [name for name in self._asked_names(choice) if model.startswith(name)]
            facts = facts_of(max(asked, key=len), choice.facts) if asked else facts
        return cost_usd(usage, facts)

    def _asked_names(self, choice: ProviderChoice) -> tuple[str, ...]:
        """Return the models that are asked: the chosen one, who takes over, and the small one."""
        settings = self._settings().model
        small = self._providers.choose_small(settings, self._chosen_model())
        fallback = self.choose(settings.fallback) if settings.fallback else None
        asked = (choice, fallback, small)
        return tuple(one.model for one in asked if one is not None and one.model)

    def effort(self) -> str | None:
        """Return how hard the model is to try; None leaves it to the model."""
        effort = self._chosen_effort() or self._settings().model.effort
        return None if effort == OWN_EFFORT else effort

    def facts(self, name: str | None = None) -> ModelFacts:
        """Return what is known of a model; None: of the one that was chosen."""
        choice = self.choose(name)
        return facts_of(choice.model, choice.facts)

    def options(self) -> ModelOptions:
        """Return what can be chosen about the model."""
        settings, choice = self._settings().model, self.choose()
        listed = self._providers.listed(settings, choice)
        return model_options(choice, settings, self.effort() or OWN_EFFORT, listed)

    def small(self) -> SmallModel | None:
        """Return the model for small side questions; None when there is none."""
        settings = self._settings().model
        choice = self._providers.choose_small(settings, self._chosen_model())
        if choice is None:
            return None
        return SmallModel(model=self.client(choice), model_id=choice.model)

    def substitute(self, first: ProviderChoice) -> Substitute | None:
        """Return the model that takes over when the first one stays overloaded."""
        settings = self._settings()
        name = settings.model.fallback
        choice = self.choose(name) if name else None
        if choice is None or first.provider == "demo" or choice.model == first.model:
            return None
        if choice.problem is not None:
            # It would only hide the failure of the first model behind one of its own.
            return None
        return Substitute(
            model=self.client(choice),
            name=choice.model,
            max_tokens=max_tokens(settings, choice),
            escalated_max_tokens=escalated_max_tokens(settings, choice),
            max_context_tokens=max_context_tokens(choice),
        )

    def no_substitute(self) -> str:
        """Return why the model that the settings name as fallback cannot take over; empty when it can."""
        name = self._settings().model.fallback
        problem = self.choose(name).problem if name else None
        if problem is None:
            return ""
        return f"The fallback model {name} (model.fallback) cannot take over. {problem.text}"

    def unpriced(self, choice: ProviderChoice) -> tuple[str, ...]:
        """Return the models that a turn may call and whose price nobody knows."""
        settings = self._settings()
        names = [choice.model]
        if self.substitute(choice) is not None:
            names.append(self.choose(settings.model.fallback).model)
        return tuple(name for name in names if not facts_of(name, choice.facts).prices)

    @property
    def max_budget_usd(self) -> float | None:
        """What the session may cost, in US dollars; None: no limit."""
        return self._settings().max_budget_usd

    def turn_settings(
        self,
        choice: ProviderChoice,
        system: Sequence[str],
        tools: Sequence[ToolSchema],
        max_model_calls: int | None,
    ) -> TurnSettings:
        """Return what a turn is asked with; ``max_model_calls`` None means: what the settings say."""
        settings = self._settings()
        return TurnSettings(
            model=choice.model,
            system=system,
            tools=tools,
            max_tokens=max_tokens(settings, choice),
            escalated_max_tokens=escalated_max_tokens(settings, choice),
            max_context_tokens=max_context_tokens(choice),
            thinking_budget_tokens=settings.model.thinking_budget_tokens,
            effort=self.effort(),
            max_model_calls=max_model_calls or settings.max_turns or DEFAULT_MAX_MODEL_CALLS,
            max_budget_usd=settings.max_budget_usd,
        )
