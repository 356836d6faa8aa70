"""`python -m bot` and the `verdict` command."""

import sys

from bot.cli import run
from bot.settings import process_environment


def main() -> None:
    """Run the command line and end with its exit status."""
    sys.exit(run(sys.argv[1:], process_environment()))


if __name__ == "__main__":
    main()
