"""`python -m kdvision` is `kdvision`."""

from kdvision.cli import main

if __name__ == "__main__":
    main()
