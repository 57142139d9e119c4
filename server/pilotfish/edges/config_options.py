"""What can be chosen about a session's model, in ACP's words.

Owns: the options' ids and shape. Does not own: what there is to choose (``session.model_options``).
"""

from typing import Any

from pilotfish.session.model_options import Choice, ModelOptions

MODEL_OPTION = "model"
"""Id of the config option that names the model."""

EFFORT_OPTION = "effort"
"""Id of the config option that says how hard the model should try."""


def to_config_options(options: ModelOptions) -> list[dict[str, Any]]:
    """Return the options; effort is left out for models that cannot be asked."""
    found = [_select(MODEL_OPTION, "Model", "model", options.model, options.models)]
    if options.efforts:
        found.append(
            _select(EFFORT_OPTION, "Effort", "thought_level", options.effort, options.efforts)
        )
    return found


def _select(
    option: str, name: str, category: str, value: str, choices: tuple[Choice, ...]
) -> dict[str, Any]:
    return {
        "type": "select",
        "id": option,
        "name": name,
        "category": category,
        "currentValue": value,
        "options": [_choice(choice) for choice in choices],
    }


def _choice(choice: Choice) -> dict[str, Any]:
    found = {"value": choice.value, "name": choice.name}
    return found | {"description": choice.description} if choice.description else found
