"""Makes the default Linux torch wheel importable on a machine without the CUDA libraries.

The wheel links against about 3 GB of CUDA libraries that the oracle, which runs on the CPU, never calls. Only
the small CUDA runtime is really used at import (it registers device code there). For each other
library that is missing, this builds an empty stand-in beside torch's own libraries: it defines the
functions that torch names, under their versions, and each of them aborts if it is ever called.

Run with the Python of the virtual environment; needs `readelf` and a C compiler.
"""

import collections
import importlib.util
import pathlib
import re
import subprocess
import tempfile

# Functions without a symbol version say nothing about their library; their prefix does. The CUDA driver's
# own functions come last because their prefix, "cu", is the shortest.
UNVERSIONED = [
    ("cusparseLt", "libcusparseLt.so"),
    ("cuFile", "libcufile.so"),
    ("nccl", "libnccl.so"),
    ("nvshmem", "libnvshmem_host.so"),
    ("cu", "libcuda.so"),
]


def readelf(flag, path):
    return subprocess.run(["readelf", flag, "-W", path], check=True, capture_output=True, text=True).stdout


def main():
    spec = importlib.util.find_spec("torch")  # finds the folder without importing it
    lib = pathlib.Path(spec.origin).parent / "lib"
    wheels_libs = {p.name for p in lib.parent.parent.glob("nvidia/*/lib/*.so*")}

    needed, defined, undefined = set(), set(), set()
    for path in lib.glob("*.so*"):
        if path.is_symlink():
            continue
        needed |= set(re.findall(r"\(NEEDED\).*\[(lib(?:cu|nccl|nv)[^\]]*)\]", readelf("-d", path)))
        for line in readelf("--dyn-syms", path).splitlines():
            field = line.split()
            if len(field) < 8 or not field[0].rstrip(":").isdigit():
                continue
            name, _, version = field[7].partition("@")
            if field[6] == "UND":
                undefined.add((name, version.lstrip("@")))
            else:
                defined.add(name)

    missing = {n for n in needed if n not in wheels_libs and not (lib / n).exists()}
    functions = collections.defaultdict(set)  # library -> {(function, version)}
    for name, version in undefined:
        if name in defined:
            continue
        if version in missing:
            functions[version].add((name, version))
        elif version == "NVSHMEM" or not version:
            for prefix, stem in UNVERSIONED:
                if name.startswith(prefix):
                    for soname in missing:
                        if soname.startswith(stem + "."):
                            functions[soname].add((name, version))
                    break

    for soname in sorted(missing):
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            rows = sorted(functions[soname])
            code = "void abort(void);\n" + "".join(f"void {name}(void) {{ abort(); }}\n" for name, _ in rows)
            (work / "stub.c").write_text(code)
            command = ["cc", "-shared", "-fPIC", "-fno-builtin", "-w", "-o", lib / soname, work / "stub.c",
                       f"-Wl,-soname,{soname}"]
            versions = collections.defaultdict(list)
            for name, version in rows:
                if version:
                    versions[version].append(name)
            if versions:
                script = "".join(f'{v} {{ global: {"; ".join(names)}; }};\n' for v, names in versions.items())
                (work / "stub.map").write_text(script)
                command.append(f"-Wl,--version-script={work / 'stub.map'}")
            subprocess.run(command, check=True)
        print(f"stand-in {soname}: {len(rows)} functions")


main()
