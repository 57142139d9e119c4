"""Start of ``pilotfish``.

Owns: choosing the way in before anything is imported that only one of them needs.
"""

import gc
import sys

from pilotfish.core.errors import PilotfishError


def main() -> None:
    """Run the command line."""
    # Loading makes half a million objects that stay: every full collection on the way would walk
    # them all, a tenth of a second each. The engine turns it on again once everything is loaded.
    gc.disable()
    try:
        _dispatch(sys.argv[1:])
    except PilotfishError as error:
        # Nothing could be begun, for example without a home. It says what to do; a stack would not.
        sys.exit(str(error))


def _dispatch(arguments: list[str]) -> None:
    match arguments:
        case ["serve", *flags] if _are_known(flags, "--testing"):
            from pilotfish.app.serve import serve  # noqa: PLC0415 - an editor waits for this

            sys.exit(serve(testing="--testing" in flags, record=_folder_in(flags)))
        case ["acp", *flags] if _are_known(flags):
            from pilotfish.app.acp import serve_acp  # noqa: PLC0415 - an editor waits for this

            serve_acp(record=_folder_in(flags))
        case _:
            from pilotfish.app.headless import main_command  # noqa: PLC0415 - see above

            main_command()


def _are_known(flags: list[str], *switches: str) -> bool:
    """Tell whether these are a server's own flags; anything else is explained by the command line."""
    match flags:
        case []:
            return True
        case ["--record", folder, *rest] if folder.strip():
            return _are_known(rest, *switches)
        case [flag, *rest]:
            return flag in switches and _are_known(rest, *switches)
        case _:
            return False


def _folder_in(flags: list[str]) -> str | None:
    """Return the folder that sessions are recorded into; None to record none."""
    return flags[flags.index("--record") + 1] if "--record" in flags else None


if __name__ == "__main__":
    main()
