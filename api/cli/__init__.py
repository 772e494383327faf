"""The command line: `impressions`."""

from api.cli.app import main

__all__ = ["main"]
