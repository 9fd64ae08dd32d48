"""``python -m bridgespec`` is the command line."""

from bridgespec.cli import main

if __name__ == "__main__":
    main()
