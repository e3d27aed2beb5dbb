"""`python -m whyzero`."""

from whyzero.cli import main

main()
