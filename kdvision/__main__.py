"""`python -m kdvision` is `kdvision`."""

from kdvision.commands import main

if __name__ == "__main__":
    main()
