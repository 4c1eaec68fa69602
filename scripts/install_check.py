"""Does it install, and read a photo, where nothing else is? On every Python that it is for.

    python -m scripts.install_check            # or: make install-check

Builds the sdist and, from it, the wheel. Installs the wheel without extras into an empty environment for each Python
that this machine has, from ready-made packages alone, so that no compiler and no system library is asked for. There,
away from the checkout, a sample is scored and compared with its truth. Exits with 1 where anything is not as it should
be.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
VERSIONS: Final = ("3.11", "3.12", "3.13")
SAMPLE: Final = ROOT / "samples" / "demo.jpg"
MOST_MEGABYTES: Final = 450.0
"""What our package and all that it needs may take on disk."""

INSTALLERS: Final = ("pip", "setuptools")
MODELS: Final = ("cells.onnx", "context.onnx", "finder.onnx")
PROBE: Final = "build"
"""A small package, by which it is told whether the package index can be reached; and what builds ours."""

INSIDE: Final = """
import importlib.util, json, pathlib, sys
import kdvision
from kdvision.vision.networks.onnx import model_path
boards = [list(read.board.rows()) for read in kdvision.read(sys.argv[1])]
place = pathlib.Path(kdvision.__file__).parent
print(json.dumps({
    "boards": boards,
    "heavy": [name for name in ("torch", "onnx", "matplotlib", "scipy", "skimage") if importlib.util.find_spec(name)],
    "models": all(model_path(name).is_relative_to(place) for name in ("cells", "context", "finder")),
    "packages": str(place.parent),
}))
"""


class Unreachable(Exception):
    """The package index cannot be reached."""


@dataclass(frozen=True)
class Verdict:
    """What came of one Python: megabytes on disk, and what is wrong, in words; nothing where all is well."""

    version: str
    megabytes: float = 0.0
    wrong: tuple[str, ...] = ()

    def __str__(self) -> str:
        told = "; ".join(self.wrong) or f"installs and scores {SAMPLE.name} right, {self.megabytes:.0f} MB on disk"
        return f"Python {self.version}: {told}"


def interpreter(version: str) -> str | None:
    """A Python of this version (3.12) that runs; None where there is none."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(f"python{version}"), *(str(place / "bin" / "python") for place in kept.glob(f"{version}.*"))]
    if f"{sys.version_info.major}.{sys.version_info.minor}" == version:
        found.insert(0, sys.executable)
    return next((path for path in found if path and _runs(path, version)), None)


def _runs(path: str, version: str) -> bool:
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([path, "-c", code], capture_output=True, text=True)
    except OSError:
        return False
    return done.stdout.strip() == version


def built(work: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel that is made from it; raises Unreachable, and RuntimeError where neither comes out."""
    tools, made = work / "tools", work / "dist"
    if not _pip(sys.executable, "install", "--quiet", "--target", str(tools), PROBE):
        raise Unreachable
    ran = _run([sys.executable, "-m", "build", "--outdir", str(made), str(ROOT)], PYTHONPATH=str(tools))
    if ran.returncode:
        raise RuntimeError(f"building failed:\n{ran.stdout}{ran.stderr}")
    return next(made.glob("*.tar.gz")), next(made.glob("*.whl"))


def travelling(wheel: Path) -> list[str]:
    """What is wrong with the content of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    wrong = [f"{name} does not travel in the wheel" for name in MODELS if f"kdvision/models/{name}" not in names]
    strange = sorted(name for name in names if not name.startswith(("kdvision/", "kdvision-")))
    return [*wrong, *(f"{name} would lie beside the package" for name in strange)]


def checked(version: str, python: str, wheel: Path, work: Path, *, most: float = MOST_MEGABYTES) -> Verdict:
    """The verdict on one Python, in an environment of its own; raises Unreachable."""
    home = work / version
    _run([python, "-m", "venv", str(home)])
    folder = home / ("Scripts" if os.name == "nt" else "bin")
    if not _pip(str(folder / "python"), "install", "--quiet", "--only-binary", ":all:", str(wheel)):
        if not _pip(sys.executable, "download", "--quiet", "--no-deps", "--dest", str(work / "probe"), PROBE):
            raise Unreachable
        return Verdict(version, wrong=("it cannot be installed, see above",))
    sample = Path(shutil.copy(SAMPLE, work))
    printed = _run([str(folder / "kdvision"), "score", "--json", sample.name], cwd=work)
    inside = _run([str(folder / "python"), "-c", INSIDE, sample.name], cwd=work)
    if printed.returncode or inside.returncode:
        return Verdict(version, wrong=(f"it does not run:\n{printed.stderr}{inside.stderr}",))
    told = json.loads(inside.stdout)
    megabytes = size(Path(told["packages"]))
    return Verdict(version, megabytes, tuple(faults(json.loads(printed.stdout), told, megabytes, most=most)))


def faults(printed: dict[str, Any], told: dict[str, Any], megabytes: float, *, most: float) -> list[str]:
    """What is wrong with an installed program, by what it printed of the sample and what it told of itself."""
    truth = json.loads(SAMPLE.with_suffix(".json").read_text(encoding="utf-8"))["kingdoms"]
    boards = [kingdom["board"] for kingdom in printed["kingdoms"]]
    wrong = []
    if boards != [kingdom["board"] for kingdom in truth] or told["boards"] != boards:
        wrong.append(f"it reads {boards}, which is not the truth")
    if [kingdom["points"] for kingdom in printed["kingdoms"]] != [kingdom["points"] for kingdom in truth]:
        wrong.append("it scores the sample wrong")
    if not told["models"]:
        wrong.append("it does not use the models that travel with it")
    if megabytes > most:
        wrong.append(f"it takes {megabytes:.0f} MB, more than {most:.0f}")
    return wrong + [f"{name} came along" for name in told["heavy"]]


def size(folder: Path) -> float:
    """Megabytes of all files in site-packages, but for pip, which was there before."""
    packages = [path for path in folder.iterdir() if path.name.partition("-")[0] not in INSTALLERS]
    files = (file for package in packages for file in (package, *package.rglob("*")) if file.is_file())
    return sum(file.stat().st_size for file in files) / 1e6


def _pip(python: str, *arguments: str) -> bool:
    """True where pip did as it was told; what it says otherwise is printed."""
    ran = _run([python, "-m", "pip", "--disable-pip-version-check", *arguments])
    if ran.returncode:
        print(ran.stderr.strip(), file=sys.stderr)
    return ran.returncode == 0


def _run(command: Sequence[str], *, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command with nothing of this Python in its environment."""
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    return subprocess.run(command, cwd=cwd, env=clean | variables, capture_output=True, text=True, encoding="utf-8")


def check(versions: Sequence[str], *, most: float) -> list[Verdict]:
    """The verdicts on these versions, each told as it comes; raises Unreachable, and RuntimeError."""
    verdicts = []
    with TemporaryDirectory() as folder:
        work = Path(folder)
        sdist, wheel = built(work)
        print(", ".join(f"{path.name} {path.stat().st_size / 1e6:.1f} MB" for path in (sdist, wheel)), flush=True)
        verdicts.append(Verdict("wheel", wrong=tuple(travelling(wheel))))
        for version in versions:
            python = interpreter(version)
            if python is None:
                print(f"Python {version}: not on this machine, left out", flush=True)
                continue
            verdicts.append(checked(version, python, wheel, work, most=most))
            print(verdicts[-1], flush=True)
    return verdicts


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, and tell: 1 where something is wrong or nothing could be fetched."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", default=VERSIONS, metavar="VERSION", help="by default 3.11 3.12 3.13")
    parser.add_argument(
        "--if-reachable", action="store_true", help="end with 0 where the package index cannot be reached"
    )
    parser.add_argument(
        "--most", type=float, default=MOST_MEGABYTES, metavar="MB", help="of site-packages, pip left out (%(default)s)"
    )
    given = parser.parse_args(arguments)
    try:
        verdicts = check(given.versions, most=given.most)
    except Unreachable:
        print("the package index cannot be reached: whether the wheel installs was not checked", flush=True)
        return int(not given.if_reachable)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    wrong = [verdict for verdict in verdicts if verdict.wrong]
    tried = [verdict.version for verdict in verdicts if verdict.version != "wheel"]
    for verdict in wrong:
        print(f"WRONG {verdict}")
    print(f"installed and tried on {', '.join(tried) or 'no Python'}: {len(wrong)} wrong")
    return int(bool(wrong) or not tried)


if __name__ == "__main__":
    sys.exit(main())
