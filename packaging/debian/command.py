#!/usr/bin/python3
"""The command esker."""

from esker.cli import main

if __name__ == "__main__":
    main()
