#!/usr/bin/env python3
"""compile_check.py SOURCE_DIR: compiles the GPU's kernels for three generations and prints what they take: registers, spills,
code. Fails where they do not compile, take more than a thread may have, or outgrow the instruction cache by far. Needs nvcc (NVCC,
PATH, or the PyPI packages of docs/gpu.md beside this interpreter); ends with 77, and the reason, where there is none."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile

GENERATIONS = ("80", "90", "100")
MOST_SPILLS = 1200  # bytes stored: measured 908, most of them in flight, which few worlds are in
MOST_CODE = 180  # KB of the limbs' kernels


def find_nvcc() -> str | None:
    pypi = pathlib.Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "bin" / "nvcc"
    for path in (os.environ.get("NVCC"), shutil.which("nvcc"), str(pypi)):
        if path and pathlib.Path(path).exists():
            return path
    return None


def resources(nvcc: str, source: pathlib.Path, file: str, generation: str, folder: str) -> list[tuple[str, int, int]]:
    """Name, registers, bytes of spill stores of every kernel in the file."""
    done = subprocess.run(
        [nvcc, "-std=c++20", "-O3", "--use_fast_math", "--expt-relaxed-constexpr", "-diag-suppress=20040,2189", f"-arch=sm_{generation}",
         "-Xptxas", "-v", f"-I{source / 'src'}", "-c", str(source / "src/batch/gpu" / file), "-o", f"{folder}/{file}.{generation}.o"],
        capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{file} does not compile for sm_{generation}:\n{done.stderr[-4000:]}")
    out, name, spills = [], "", 0
    for line in done.stderr.splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            name = m[1]
        if m := re.search(r"(\d+) bytes spill stores", line):
            spills = int(m[1])
        if (m := re.search(r"Used (\d+) registers", line)) and name:
            out.append((name, int(m[1]), spills))
            name = ""
    return out


def short_name(mangled: str) -> str:
    """limb_kernel<4, Plain> of the compiler's name for it."""
    kernel = re.search(r"\d([a-z]+_kernel)(?:ILi(\d))?(?:\w*?\d(Plain|Full))?", mangled)
    if not kernel:
        return mangled
    return kernel[1] + (f"<{kernel[2]}, {kernel[3]}>" if kernel[2] else "")


def code_kilobytes(nvcc: str, file: str) -> float | None:
    tool = pathlib.Path(nvcc).parent / "cuobjdump"
    if not tool.exists():
        return None
    text = subprocess.run([str(tool), "-sass", file], capture_output=True, text=True).stdout
    most = count = 0
    for line in text.splitlines():
        if "Function :" in line:
            count = 0
        elif re.match(r"\s+/\*[0-9a-f]{4,5}\*/", line):
            count += 1
            most = max(most, count)
    return most * 16 / 1024


def main() -> None:
    source = pathlib.Path(sys.argv[1])
    nvcc = find_nvcc()
    if nvcc is None:
        print("skipped: no nvcc (docs/gpu.md says how to install it from PyPI)")
        sys.exit(77)
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for generation in GENERATIONS:
            for file in ("limb_kernel.cu", "thread_kernel.cu", "gpu_worlds.cu"):
                for name, registers, spills in resources(nvcc, source, file, generation, folder):
                    short = short_name(name)
                    print(f"sm_{generation:4} {short:22} {registers:4} registers {spills:5} bytes spilled")
                    if "limb_kernel" in name and (registers > 128 or spills > MOST_SPILLS):
                        bad.append(f"{short} on sm_{generation}: {registers} registers, {spills} bytes spilled")
            code = code_kilobytes(nvcc, f"{folder}/limb_kernel.cu.{generation}.o")
            print(f"sm_{generation}: largest kernel by limbs: " + ("not known without cuobjdump" if code is None else f"{code:.0f} KB of code"))
            if code is not None and not 0 < code <= MOST_CODE:
                bad.append(f"{code:.0f} KB of code on sm_{generation}")
    sys.exit("\n".join(bad) if bad else 0)


main()
