"""The errors of llama.cpp's own quantizers on normal values: what crates/model/tests/quantize.rs is compared with.

    PYTHON tools/quantize_reference.py    rewrites tests/fixtures/quantize/llamacpp_errors.json

PYTHON is what tools/setup-oracle.sh prints (it needs numpy and gguf); tools/peer-llamacpp.sh must have built the
library. For each format and data set: the root mean square of (value - dequantized) over that of the values.
"""

import ctypes
import json
import os
import pathlib

import numpy as np
from gguf import GGMLQuantizationType, quants

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "tests" / "fixtures" / "quantize" / "llamacpp_errors.json"
ROWS, COLS = 256, 1024
FORMATS = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS",
           "MXFP4", "NVFP4"]


def peer():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    cache = pathlib.Path(os.environ.get("AKUNU_CACHE") or os.path.join(home, "akunu"))
    return ctypes.CDLL(str(cache / "peer" / "build" / "bin" / "libggml-base.so"))


def normals():
    """Sums of twelve 20-bit numbers from SplitMix64, three of each output: the same on every machine and language."""
    n = ROWS * COLS
    with np.errstate(over="ignore"):
        z = (np.arange(n * 4, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    mask = np.uint64(0xFFFFF)
    parts = [(z >> np.uint64(shift)) & mask for shift in (0, 20, 40)]
    total = sum(p.reshape(n, 4).sum(axis=1) for p in parts).astype(np.int64) - 6 * 2**20
    return (total.astype(np.float32) * np.float32(0.02 / 2**20)).reshape(ROWS, COLS)


def outliers(x):
    """Every 37th value is four times as large."""
    x = x.copy().reshape(-1)
    x[::37] *= np.float32(4)
    return x.reshape(ROWS, COLS)


def main():
    ggml = peer()
    ggml.ggml_quantize_chunk.restype = ctypes.c_size_t
    ggml.ggml_row_size.restype = ctypes.c_size_t
    ggml.ggml_row_size.argtypes = [ctypes.c_int, ctypes.c_int64]
    floats = ctypes.POINTER(ctypes.c_float)
    ggml.ggml_quantize_chunk.argtypes = [ctypes.c_int, floats, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64,
                                         ctypes.c_int64, floats]
    plain = normals()
    result = {}
    for name in FORMATS:
        kind = GGMLQuantizationType[name]
        result[name.lower()] = errors = {}
        for data, x in [("normal", plain), ("outliers", outliers(plain))]:
            out = np.zeros((ROWS, ggml.ggml_row_size(int(kind), COLS)), dtype=np.uint8)
            pointer = np.ascontiguousarray(x).ctypes.data_as(floats)
            ggml.ggml_quantize_chunk(int(kind), pointer, out.ctypes.data, 0, ROWS, COLS, None)
            y = quants.dequantize(out, kind).reshape(x.shape).astype(np.float64)
            errors[data] = round(float(np.sqrt(((y - x) ** 2).sum() / (x.astype(np.float64) ** 2).sum())), 7)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    rows = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in result.items())
    OUT.write_text(f"{{\n{rows}\n}}\n")
    print(OUT.relative_to(ROOT))


main()
