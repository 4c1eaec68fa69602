"""Whether the tests of this folder run in full: `make robustness`, or KDVISION_LONG_TESTS=1."""

import os
from typing import Final

IS_LONG: Final = os.environ.get("KDVISION_LONG_TESTS") == "1"
