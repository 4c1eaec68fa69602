"""Install the wheel into an empty environment for each Python on this machine, and score a sample there.

    python -m scripts.install_check            # or: make install-check

Builds the sdist and, from it, the wheel. The wheel is installed without extras and from binary packages only, so no
compiler is needed. A sample is scored outside the checkout and compared with its truth. The exit code is 1 if
anything is wrong.
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

from kdvision.vision.networks.onnx import MODEL_NAMES

ROOT: Final = Path(__file__).resolve().parents[1]
VERSIONS: Final = tuple(dict.fromkeys(("3.11", "3.12", "3.13", "3.14", f"3.{sys.version_info.minor}")))
SAMPLE: Final = ROOT / "samples" / "demo.jpg"
MAX_INSTALLED_MEGABYTES: Final = 650.0
"""Size of the package and its dependencies on disk."""

INSTALLERS: Final = ("pip", "setuptools")
BUILD_TOOL: Final = "build"
"""Builds the wheel. The package is small, so its download also tests whether the package index can be reached."""

PROBE: Final = """
import importlib.util, json, pathlib, sys
import kdvision
from kdvision.vision.networks.onnx import MODEL_NAMES, find_model
boards = [list(read.board.format_rows()) for read in kdvision.read(sys.argv[1])]
place = pathlib.Path(kdvision.__file__).parent
print(json.dumps({
    "boards": boards,
    "heavy": [name for name in ("torch", "onnx", "matplotlib", "sklearn") if importlib.util.find_spec(name)],
    "models": all(find_model(name).is_relative_to(place) for name in MODEL_NAMES),
    "packages": str(place.parent),
}))
"""


class IndexUnreachable(Exception):
    """The package index cannot be reached."""


@dataclass(frozen=True)
class Verdict:
    """The result for one Python: megabytes on disk, and one sentence for each fault."""

    version: str
    megabytes: float = 0.0
    faults: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = "; ".join(self.faults) or f"installs and scores {SAMPLE.name} right, {self.megabytes:.0f} MB on disk"
        return f"Python {self.version}: {text}"


def find_interpreter(version: str) -> str | None:
    """Return the path of a working Python of this version ("3.12"); None if there is none."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    paths = [
        shutil.which(f"python{version}"),
        *(str(path / "bin" / "python") for path in versions.glob(f"{version}.*")),
    ]
    if f"{sys.version_info.major}.{sys.version_info.minor}" == version:
        paths.insert(0, sys.executable)
    return next((path for path in paths if path and _has_version(path, version)), None)


def _has_version(path: str, version: str) -> bool:
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    try:
        process = subprocess.run([path, "-c", code], capture_output=True, text=True)
    except OSError:
        return False
    return process.stdout.strip() == version


def build_packages(work: Path) -> tuple[Path, Path]:
    """Build sdist and wheel and return their paths; raises IndexUnreachable, or RuntimeError if the build fails."""
    tools, output = work / "tools", work / "dist"
    if not _run_pip(sys.executable, "install", "--quiet", "--target", str(tools), BUILD_TOOL):
        raise IndexUnreachable
    process = _run_command([sys.executable, "-m", "build", "--outdir", str(output), str(ROOT)], PYTHONPATH=str(tools))
    if process.returncode:
        raise RuntimeError(f"building failed:\n{process.stdout}{process.stderr}")
    return next(output.glob("*.tar.gz")), next(output.glob("*.whl"))


def check_wheel(wheel: Path) -> list[str]:
    """Return one sentence for each fault in the content of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    models = [f"kdvision/models/{name}.onnx" for name in MODEL_NAMES]
    faults = [f"{name} is missing from the wheel" for name in models if name not in names]
    foreign_names = sorted(name for name in names if not name.startswith(("kdvision/", "kdvision-")))
    faults += [f"{name} lies outside the package" for name in foreign_names]
    return faults + ["the training code is in the wheel"] * any(name.startswith("kdvision/lab/") for name in names)


def check_python(version: str, python: str, wheel: Path, work: Path) -> Verdict:
    """Install the wheel for one Python and score the sample; raises IndexUnreachable."""
    home = work / version
    _run_command([python, "-m", "venv", str(home)])
    folder = home / ("Scripts" if os.name == "nt" else "bin")
    if not _run_pip(str(folder / "python"), "install", "--quiet", "--only-binary", ":all:", str(wheel)):
        if not _run_pip(sys.executable, "download", "--quiet", "--no-deps", "--dest", str(work / "probe"), BUILD_TOOL):
            raise IndexUnreachable
        return Verdict(version, faults=("it cannot be installed, see above",))
    sample = Path(shutil.copy(SAMPLE, work))
    score_run = _run_command([str(folder / "kdvision"), "score", "--json", sample.name], cwd=work)
    probe_run = _run_command([str(folder / "python"), "-c", PROBE, sample.name], cwd=work)
    if score_run.returncode or probe_run.returncode:
        return Verdict(version, faults=(f"it does not run:\n{score_run.stderr}{probe_run.stderr}",))
    probe_result = json.loads(probe_run.stdout)
    megabytes = measure_megabytes(Path(probe_result["packages"]))
    return Verdict(version, megabytes, tuple(find_faults(json.loads(score_run.stdout), probe_result, megabytes)))


def find_faults(score_output: dict[str, Any], probe_result: dict[str, Any], megabytes: float) -> list[str]:
    """Return one sentence for each fault of an installed program, from the output of `score --json` and of PROBE."""
    truth = json.loads(SAMPLE.with_suffix(".json").read_text(encoding="utf-8"))["kingdoms"]
    boards = [kingdom["board"] for kingdom in score_output["kingdoms"]]
    faults = []
    if boards != [kingdom["board"] for kingdom in truth] or probe_result["boards"] != boards:
        faults.append(f"it reads {boards}, which is not the truth")
    if [kingdom["points"] for kingdom in score_output["kingdoms"]] != [kingdom["points"] for kingdom in truth]:
        faults.append("it scores the sample wrong")
    if not probe_result["models"]:
        faults.append("it does not use the models in the wheel")
    if megabytes > MAX_INSTALLED_MEGABYTES:
        faults.append(f"it takes {megabytes:.0f} MB, more than {MAX_INSTALLED_MEGABYTES:.0f}")
    return faults + [f"{name} is installed, too" for name in probe_result["heavy"]]


def measure_megabytes(folder: Path) -> float:
    """Return the megabytes of all files in site-packages, without those of pip."""
    packages = [path for path in folder.iterdir() if path.name.partition("-")[0] not in INSTALLERS]
    files = (file for package in packages for file in (package, *package.rglob("*")) if file.is_file())
    return sum(file.stat().st_size for file in files) / 1e6


def _run_pip(python: str, *arguments: str) -> bool:
    """Run pip and print its errors; return whether it succeeded."""
    process = _run_command([python, "-m", "pip", "--disable-pip-version-check", *arguments])
    if process.returncode:
        print(process.stderr.strip(), file=sys.stderr)
    return process.returncode == 0


def _run_command(
    command: Sequence[str], *, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command without the settings of this Python in its environment."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    return subprocess.run(
        command, cwd=cwd, env=environment | variables, capture_output=True, text=True, encoding="utf-8"
    )


def check_versions() -> list[Verdict]:
    """Check the wheel and all VERSIONS, and print each verdict; raises IndexUnreachable and RuntimeError."""
    verdicts = []
    with TemporaryDirectory() as folder:
        work = Path(folder)
        sdist, wheel = build_packages(work)
        print(", ".join(f"{path.name} {path.stat().st_size / 1e6:.1f} MB" for path in (sdist, wheel)), flush=True)
        verdicts.append(Verdict("wheel", faults=tuple(check_wheel(wheel))))
        for version in VERSIONS:
            python = find_interpreter(version)
            if python is None:
                print(f"Python {version}: not on this machine", flush=True)
                continue
            verdicts.append(check_python(version, python, wheel, work))
            print(verdicts[-1], flush=True)
    return verdicts


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 1 if something is wrong or nothing could be downloaded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--if-reachable", action="store_true", help="exit with 0 if the package index is not reachable")
    options = parser.parse_args(arguments)
    try:
        verdicts = check_versions()
    except IndexUnreachable:
        print("the package index cannot be reached, so the installation was not checked", flush=True)
        return int(not options.if_reachable)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    faulty_verdicts = [verdict for verdict in verdicts if verdict.faults]
    tested_versions = [verdict.version for verdict in verdicts if verdict.version != "wheel"]
    for verdict in faulty_verdicts:
        print(f"FAULT {verdict}")
    print(f"installed and tested on {', '.join(tested_versions) or 'no Python'}: {len(faulty_verdicts)} with faults")
    return int(bool(faulty_verdicts) or not tested_versions)


if __name__ == "__main__":
    sys.exit(main())
