"""The peer's logits on the oracle's text, for tools/oracle.py compare: how far llama.cpp itself is from f32.

    PYTHON tools/peer_logits.py           writes peer_logits.f32 beside the oracle's file and prints its path

PYTHON is what tools/setup-oracle.sh prints; tools/peer-llamacpp.sh must have built the library. Each window
is a context of its own, from position 0, as in the oracle; settings are the library's defaults otherwise.
"""

import argparse
import ctypes
import json
import os
import pathlib
import sys
import types

import numpy as np

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "oracle"


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("AKUNU_CACHE") or os.path.join(home, "akunu"))


def bindings(peer):
    """The raw C bindings from the peer's source tree, without the rest of their package and what that would import."""
    os.environ["LLAMA_CPP_LIB_PATH"] = str(peer / "build" / "bin")
    package = types.ModuleType("llama_cpp")
    package.__path__ = [str(peer / "src" / "llama_cpp")]
    sys.modules["llama_cpp"] = package
    import llama_cpp.llama_cpp as raw

    return raw


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=pathlib.Path, default=cache() / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf")
    parser.add_argument("--peer", type=pathlib.Path, default=cache() / "peer")
    parser.add_argument("--out", type=pathlib.Path, default=cache() / "oracle" / "peer_logits.f32")
    parser.add_argument("--window", type=int, default=512)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--step", type=int, default=0,
                        help="tokens per call: 1 takes the path of decoding, the default that of a prompt")
    parser.add_argument("--count", type=int, help="tokens of the text (default: all)")
    args = parser.parse_args()

    ids = json.loads((FIXTURES / "english_tokens.json").read_text())[:args.count]
    step = args.step or args.window
    raw = bindings(args.peer)
    raw.llama_backend_init()
    model = raw.llama_model_load_from_file(str(args.model).encode(), raw.llama_model_default_params())
    if not model:
        sys.exit(f"the peer cannot load {args.model}")
    vocabulary = raw.llama_vocab_n_tokens(raw.llama_model_get_vocab(model))
    params = raw.llama_context_default_params()
    params.n_ctx = params.n_batch = params.n_ubatch = args.window
    params.n_threads = params.n_threads_batch = args.threads

    args.out.parent.mkdir(parents=True, exist_ok=True)
    part = args.out.with_name(args.out.name + ".part")
    with open(part, "wb") as file:
        for start in range(0, len(ids), args.window):
            context = raw.llama_init_from_model(model, params)
            batch = raw.llama_batch_init(step, 0, 1)
            for position in range(0, args.window, step):
                chunk = ids[start + position:start + min(position + step, args.window)]
                batch.n_tokens = len(chunk)
                for row, token in enumerate(chunk):
                    batch.token[row] = token
                    batch.pos[row] = position + row
                    batch.n_seq_id[row] = 1
                    batch.seq_id[row][0] = 0
                    batch.logits[row] = 1
                if raw.llama_decode(context, batch):
                    sys.exit(f"the peer failed at token {start + position}")
                logits = ctypes.cast(raw.llama_get_logits(context), ctypes.POINTER(ctypes.c_float))
                np.ctypeslib.as_array(logits, shape=(len(chunk), vocabulary)).astype("<f4", copy=False).tofile(file)
            raw.llama_batch_free(batch)
            raw.llama_free(context)
            print(f"tokens {start}..{start + args.window}", file=sys.stderr)
    part.replace(args.out)
    print(args.out)


main()
