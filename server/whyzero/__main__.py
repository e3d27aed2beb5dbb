"""`python -m whyzero`."""

from whyzero.cli import main

if __name__ == "__main__":  # a worker process imports this file under another name
    main()
