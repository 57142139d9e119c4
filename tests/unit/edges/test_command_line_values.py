"""A value on the command line that is empty was meant to be something: each is refused, as wrong use is."""

from collections.abc import Iterator
from typing import Any

import click
import pytest
from click.testing import CliRunner
from pilotfish.__main__ import _are_known
from pilotfish.edges.headless.cli import build_cli
from pilotfish.edges.headless.text_option import Amount
from pilotfish.edges.headless.trust_cli import trust_command

TOLD_OTHERWISE = {"prompt"}
"""Has a text of its own."""

MAY_BE_EMPTY = {"append_system_prompt"}
"""Nothing to be added is what it says."""


class Never:
    """What the commands would do; none may be reached."""

    def __getattr__(self, name: str) -> "Never":
        return self

    def __call__(self, *given: Any, **named: Any) -> Any:
        raise AssertionError(f"nothing may run: {given} {named}")


def command_line() -> click.Group:
    never: Any = Never()
    cli = build_cli(never, never, never, never, never, never)
    cli.add_command(trust_command(never, never))
    return cli


def leaves(group: click.Group, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaves(command, *path, name)
        else:
            yield (*path, name), command


def values() -> Iterator[tuple[tuple[str, ...], click.Command, click.Parameter]]:
    for path, command in leaves(command_line()):
        for each in command.params:
            if not (isinstance(each, click.Option) and each.is_flag):
                yield path, command, each


def arguments_with(command: click.Command, given: click.Parameter, value: str) -> list[str]:
    """Return a call of a command whose other arguments cannot be what is refused."""
    if isinstance(given, click.Option):
        return [given.opts[-1], value]
    return [value if each is given else "x" for each in command.params if is_argument(each)]


def is_argument(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Argument)


VALUES = [
    pytest.param(path, command, parameter, id=" ".join((*path, str(parameter.name))))
    for path, command, parameter in values()
    if parameter.name not in MAY_BE_EMPTY
]


@pytest.mark.parametrize("value", ["", " "])
@pytest.mark.parametrize(("path", "command", "parameter"), VALUES)
def test_an_empty_value_is_wrong_use(
    path: tuple[str, ...], command: click.Command, parameter: click.Parameter, value: str
) -> None:
    call = [*path, *arguments_with(command, parameter, value)]
    ended = CliRunner().invoke(command_line(), call)
    assert ended.exit_code == 2, ended.output
    if parameter.name not in TOLD_OTHERWISE:
        assert "Invalid value for" in ended.output, ended.output


AMOUNTS = [
    pytest.param([*path, str(parameter.opts[-1])], id=" ".join((*path, str(parameter.name))))
    for path, _, parameter in values()
    if isinstance(parameter.type, Amount)
]


@pytest.mark.parametrize("value", ["nan", "0", "-1", "inf", "-inf", "1e305"])
@pytest.mark.parametrize("call", AMOUNTS)
def test_an_amount_is_a_number_above_nothing_to_reckon_with(call: list[str], value: str) -> None:
    ended = CliRunner().invoke(command_line(), [*call, value])
    assert ended.exit_code == 2
    assert f"Invalid value for '{call[-1]}'" in ended.output


def test_the_amounts_of_all_commands_are_tried() -> None:
    assert {str(each.id) for each in AMOUNTS} >= {
        "run max_budget_usd",
        "permissions replay since_days",
    }


@pytest.mark.parametrize("flags", [["--record", ""], ["--record", " "], ["--record"]])
def test_a_server_is_not_started_with_an_empty_folder(flags: list[str]) -> None:
    assert not _are_known(flags)


def test_a_server_is_started_with_its_own_flags() -> None:
    assert _are_known(["--record", "folder", "--testing"], "--testing")
