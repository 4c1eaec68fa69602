"""Lets `python -m kdvision` run the command line."""

from kdvision.cli import main

if __name__ == "__main__":
    main()
