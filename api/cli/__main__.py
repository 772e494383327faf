"""`python -m api.cli`: the command line without its script, as in the container image."""

from api.cli import main

main()
