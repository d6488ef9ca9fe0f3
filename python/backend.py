"""Builds the wheel of gradus (PEP 517) with CMake; needs nothing from PyPI.

The wheel holds the package, libgradus and the scenes, robots and other files that come with gradus. It is for machines like the one that made
it: libgradus uses the system's libraries (fmt, assimp, png, zstd, qhull, pugixml)."""
import base64
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ["robots", "servos", "sensors", "fields", "maps", "motions", "scenes"]


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def dist_info(p):
    return f"{p['name']}-{p['version']}.dist-info"


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def metadata(p):
    lines = ["Metadata-Version: 2.1", f"Name: {p['name']}", f"Version: {p['version']}", f"Summary: {p['description']}",
             f"Requires-Python: {p['requires-python']}"]
    lines += [f"Requires-Dist: {d}" for d in p["dependencies"]]
    for extra, needs in p.get("optional-dependencies", {}).items():
        lines += [f"Provides-Extra: {extra}"] + [f'Requires-Dist: {d}; extra == "{extra}"' for d in needs]
    return "\n".join(lines) + "\n\n" + (ROOT / p["readme"]).read_text()


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    p = project()
    folder = pathlib.Path(metadata_directory) / dist_info(p)
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(metadata(p))
    (folder / "WHEEL").write_text(wheel_text())
    return folder.name


def wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: gradus\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def compile_module():
    """Returns the package's folder in the build and libgradus."""
    if not shutil.which("cmake"):
        raise SystemExit("gradus is built with CMake: run tools/setup look first")
    given = os.environ.get("GRADUS_BUILD")  # a build folder that is there already
    build = pathlib.Path(given or ROOT / "build/wheel").resolve()
    if not given:
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja" if shutil.which("ninja") else "Unix Makefiles",
                        "-DCMAKE_BUILD_TYPE=Release", "-DGRADUS_APPS=OFF", "-DGRADUS_TESTS=OFF",
                        f"-DGRADUS_PYTHON={sys.executable}"], check=True)
    targets = subprocess.run(["cmake", "--build", build, "--parallel", "--target", "gradus_python"])
    if targets.returncode != 0:
        raise SystemExit("the module could not be built: are pybind11-dev and python3-dev installed (tools/setup)?")
    return build / "python/gradus", (build / "libgradus.so.0").resolve()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    p = project()
    package, library = compile_module()
    name = f"{p['name']}-{p['version']}-{tag()}.whl"
    records = []
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as z:
        def add(where, data, mode=0o644):
            info = zipfile.ZipInfo(where, (2020, 1, 1, 0, 0, 0))
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(info, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{where},sha256={digest},{len(data)}")

        for f in sorted(package.iterdir()):
            if f.is_file():
                add(f"gradus/{f.name}", f.read_bytes(), 0o755 if f.suffix == ".so" else 0o644)
        add("gradus/lib/libgradus.so.0", library.read_bytes(), 0o755)
        for folder in DATA:
            for f in sorted((ROOT / folder).rglob("*")):
                if f.is_file():
                    add(f"gradus/share/gradus/{f.relative_to(ROOT)}", f.read_bytes())
        info = dist_info(p)
        add(f"{info}/METADATA", metadata(p).encode())
        add(f"{info}/WHEEL", wheel_text().encode())
        z.writestr(f"{info}/RECORD", "\n".join(records + [f"{info}/RECORD,,"]) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    p = project()
    base = f"{p['name']}-{p['version']}"
    files = subprocess.run(["git", "-C", ROOT, "ls-files"], check=True, capture_output=True, text=True).stdout.split("\n")
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as t:
        for f in filter(None, files):
            t.add(ROOT / f, f"{base}/{f}", recursive=False)
    return f"{base}.tar.gz"
