"""Start of ``pilotfish``.

Owns: choosing the way in before anything is imported that only one of them needs.
"""

import gc
import sys


def main() -> None:
    """Run the command line."""
    # Loading makes half a million objects that stay: every full collection on the way would walk
    # them all, a tenth of a second each. The engine turns it on again once everything is loaded.
    gc.disable()
    match sys.argv[1:]:
        case ["serve"] | ["serve", "--testing"]:
            from pilotfish.app.serve import serve  # noqa: PLC0415 - an editor waits for this

            sys.exit(serve(testing="--testing" in sys.argv))
        case ["acp"]:
            from pilotfish.app.acp import serve_acp  # noqa: PLC0415 - an editor waits for this

            serve_acp()
        case _:
            from pilotfish.app.headless import main_command  # noqa: PLC0415 - see above

            main_command()


if __name__ == "__main__":
    main()
