"""Which model answers a session.

Owns: choosing by key, base URL and settings, and sharing one client among all sessions that use
the same configuration.
Does not own: the choice's rules (``llm.choose``), reading the environment (the composition root).
"""

import logging
from collections import OrderedDict

from pilotfish.config.model_section import ModelSettings
from pilotfish.llm.access import ModelAccess
from pilotfish.llm.choose import ProviderChoice, Wanted, choose_provider
from pilotfish.llm.demo_voice import Voice, always_english
from pilotfish.llm.listed import ListedModels
from pilotfish.llm.model import WarmModel
from pilotfish.ports.clock import ClockPort
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

MAX_CLIENTS = 8
"""Clients that are kept; each holds connections."""

MAX_CHOICES = 64
"""Choices that are remembered: some for each set of settings in use."""

SMALL_MODEL = "haiku"
"""Short name of the model for side questions when no setting names one."""


class ProviderHub:
    """Models by configuration; shared by all sessions of a process."""

    def __init__(
        self, access: ModelAccess, clock: ClockPort, demo_voice: Voice = always_english
    ) -> None:
        self._access = access
        self._demo_voice = demo_voice
        self._clock = clock
        self._models: dict[str, WarmModel] = {}
        self._listed: dict[str, ListedModels] = {}
        self._choices: OrderedDict[tuple[int, str], tuple[ModelSettings, ProviderChoice]] = (
            OrderedDict()
        )
        """What was chosen last, with the settings, so that their ids stay theirs."""
        self._tasks = TaskScope("providers")

    def choose(self, settings: ModelSettings, model: str) -> ProviderChoice:
        """Return the provider for a session.

        Args:
            settings: Merged settings; their base URL gives way to the environment's.
            model: What the session asks for; empty for the settings' or the default.
        """
        # Asked several times for each reply; settings are read anew, never changed.
        key = (id(settings), model)
        known = self._choices.pop(key, None)
        if known is None:
            wanted = Wanted(
                access=self._access, settings=settings, model=model, demo_voice=self._demo_voice
            )
            known = (settings, choose_provider(wanted, clock=self._clock))
        self._choices[key] = known
        if len(self._choices) > MAX_CHOICES:
            self._choices.popitem(last=False)
        return known[1]

    def choose_small(self, settings: ModelSettings, model: str) -> ProviderChoice | None:
        """Return the provider of small side questions; None when only the demo is there.

        The setting names it; else it is the vendor's cheapest model, or the session's own where
        another server answers, which need not have that one.

        Args:
            settings: Merged settings.
            model: The session's model.
        """
        main = self.choose(settings, model)
        if main.provider == "demo":
            return None
        if settings.small is not None:
            return self.choose(settings, settings.small)
        return main if self._is_elsewhere(main, settings) else self.choose(settings, SMALL_MODEL)

    def choose_tier(self, settings: ModelSettings, tier: str, model: str) -> ProviderChoice:
        """Return the provider of a short name, or of a model where the name means nothing there.

        Args:
            settings: Merged settings; what their aliases say counts everywhere.
            tier: A name such as ``haiku`` that the vendor's own server knows.
            model: What answers where it does not.
        """
        main = self.choose(settings, model)
        known = not self._is_elsewhere(main, settings) or tier.lower() in settings.aliases
        return self.choose(settings, tier) if known else main

    def _is_elsewhere(self, choice: ProviderChoice, settings: ModelSettings) -> bool:
        """Tell whether another server than the vendor's own answers: it need not have its models."""
        other = self._access.anthropic_url or settings.base_url
        return choice.provider != "anthropic" or bool(other)

    def model_for(self, settings: ModelSettings, choice: ProviderChoice) -> WarmModel:
        """Return the client of a choice, built on first use."""
        reached = (choice.provider, settings.base_url, settings.idle_timeout_ms)
        key = repr((*reached, choice.facts))
        model = self._models.get(key)
        if model is None:
            if len(self._models) >= MAX_CLIENTS:
                oldest = next(iter(self._models))
                self._tasks.start(self._models.pop(oldest).close(), name="close client")
            model = self._models[key] = choice.build()
        return model

    def listed(self, settings: ModelSettings, choice: ProviderChoice) -> tuple[str, ...]:
        """Return the models that a choice's server says it has, as far as that is known."""
        if choice.lister is None or choice.problem is not None:
            return ()
        key = repr((choice.provider, settings.base_url))
        if key not in self._listed:
            if len(self._listed) >= MAX_CLIENTS:
                oldest = next(iter(self._listed))
                self._tasks.start(self._listed.pop(oldest).close(), name="forget list")
            self._listed[key] = ListedModels(choice.lister, self._clock)
        return self._listed[key].look()

    async def warm_up(self, settings: ModelSettings) -> None:
        """Load what the first request needs, so that it leaves at once."""
        choice = self.choose(settings, "")
        if choice.problem is None:
            await self.model_for(settings, choice).warm_up()
            self.listed(settings, choice)

    async def close(self) -> None:
        """Release all connections."""
        for listed in self._listed.values():
            await listed.close()
        self._listed.clear()
        for model in self._models.values():
            await model.close()
        self._models.clear()
        await self._tasks.close()
