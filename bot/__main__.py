"""`python -m bot` and the `verdict` command."""

import sys

from bot.interrupt import say_interrupted

sys.excepthook = say_interrupted

# because the imports below take most of a second, in which Ctrl-C must already be answered in one line
from bot.cli import run  # noqa: E402
from bot.settings import process_environment  # noqa: E402


def main() -> None:
    """Run the command line and end with its exit status."""
    sys.exit(run(sys.argv[1:], process_environment()))


if __name__ == "__main__":
    main()
