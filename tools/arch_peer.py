#!/usr/bin/env python3
"""Every architecture's tiny random model as a GGUF file: akunu and llama.cpp on the same file.

Writes one GGUF for each case of tests/fixtures/architectures (weights are the formula of arch_oracle.py, in the form
that llama.cpp's converter gives them), runs both, and prints mean KL divergence (akunu's distribution from the peer's),
agreement of the best token, and both's from the f64 oracle's logits.

    PYTHON tools/arch_peer.py [--akunu target/fast/akunu] [CASE...]

PYTHON is what tools/setup-oracle.sh prints; tools/peer-llamacpp.sh must have built the library. Leaves a JSON on stdout.

(A file cannot say gemma2's score factor of the oracle's case, so there both are equally far from the oracle.)
"""
import argparse
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import types

import gguf
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "tests/fixtures/architectures"
VOCAB, HIDDEN, HEADS, KV, FFN = 64, 64, 4, 2, 96
# Cases that the file format or the peer cannot express, each with its reason.
LEFT_OUT = {
    "mistral": "the peer ignores a window in files of the Llama architecture",
    "qwen3moe-plain-weights": "no key says that weights are not normalised, which the peer would read",
}


def formula():
    """`tensor(name, rows, cols)` of arch_oracle.py, without what that file imports."""
    text = (HERE / "arch_oracle.py").read_text()
    start, end = text.index("def values("), text.index("# Name of the case")
    scope = {"np": np, "math": __import__("math")}
    exec(text[start:end], scope)
    return scope["tensor"]


def permuted(w, heads):
    """Rows so that RoPE turns adjacent pairs, as files of the Llama architecture have them."""
    return w.reshape(heads, 2, w.shape[0] // heads // 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)


def write(case, path, tensor):
    arch, hd, layers = case["arch"], case["head_dim"], case["layers"]
    w = gguf.GGUFWriter(path, arch)
    w.add_block_count(layers)
    w.add_context_length(128)
    w.add_embedding_length(HIDDEN)
    w.add_feed_forward_length(FFN)
    w.add_head_count(HEADS)
    w.add_head_count_kv(KV)
    w.add_key_length(hd)
    w.add_value_length(hd)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_rope_freq_base(case["base"])
    w.add_rope_dimension_count(case.get("rope_dim", hd))
    w.add_vocab_size(VOCAB)
    if "window" in case:
        w.add_sliding_window(case["window"])
    if "softcap" in case:
        w.add_attn_logit_softcapping(case["softcap"])
    if "logits_softcap" in case:
        w.add_final_logit_softcapping(case["logits_softcap"])
    if "local_base" in case:
        w.add_float32(f"{arch}.rope.freq_base_swa", case["local_base"])
    factors = None
    for kind, v in case.get("scaling", {}).items():
        if kind == "linear":
            w.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
            w.add_rope_scaling_factor(v)
        elif kind == "yarn":
            w.add_rope_scaling_type(gguf.RopeScalingType.YARN)
            w.add_rope_scaling_factor(v[0])
            w.add_rope_scaling_orig_ctx_len(v[3])
        elif kind == "longrope":
            w.add_rope_scaling_type(gguf.RopeScalingType.LONGROPE)
            w.add_rope_scaling_orig_ctx_len(v[2])
            w.add_rope_scaling_attn_factors(case["magnitude"])
            w.add_tensor("rope_factors_short.weight", np.array(v[0], np.float32))
            w.add_tensor("rope_factors_long.weight", np.array(v[1], np.float32))
        elif kind == "llama3":
            factor, low, high, original = v
            f = case["base"] ** (-np.arange(0, hd, 2) / hd)
            wavelength = 2 * np.pi / f
            smooth = (original / wavelength - low) / (high - low)
            blended = 1 / ((1 - smooth) / factor + smooth)
            factors = np.where(wavelength < original / high, 1.0, np.where(wavelength > original / low, factor, blended))
            w.add_tensor("rope_freqs.weight", factors.astype(np.float32))
    if "experts" in case:
        count, used, ffn, _ = case["experts"]
        w.add_expert_count(count)
        w.add_expert_used_count(used)
        w.add_expert_feed_forward_length(ffn)
    # A vocabulary nobody uses: both get ids.
    w.add_tokenizer_model("llama")
    w.add_token_list([f"<{i}>" for i in range(VOCAB)])
    w.add_token_scores([0.0] * VOCAB)
    w.add_token_types([1] * VOCAB)
    w.add_bos_token_id(1)
    w.add_eos_token_id(2)

    adjacent = arch in ("llama", "smollm3")
    add = lambda name, canonical, rows, cols: w.add_tensor(name, np.ascontiguousarray(tensor(canonical, rows, cols)))
    add("token_embd.weight", "embed.weight", VOCAB, HIDDEN)
    add("output_norm.weight", "output_norm.weight", 1, HIDDEN)
    if not case["tied"]:
        add("output.weight", "output.weight", VOCAB, HIDDEN)
    behind = arch in ("gemma2", "gemma3", "olmo2")
    for i in range(layers):
        b, c = f"blk.{i}.", f"layers.{i}."
        qkv = []
        for part, heads in (("q", HEADS), ("k", KV), ("v", KV)):
            t = tensor(f"{c}attention.{part}.weight", heads * hd, HIDDEN)
            qkv.append(permuted(t, heads) if adjacent and part != "v" else t)
            if arch == "qwen2":
                add(f"{b}attn_{part}.bias", f"{c}attention.{part}.bias", 1, heads * hd)
        if arch == "phi3":
            w.add_tensor(b + "attn_qkv.weight", np.ascontiguousarray(np.concatenate(qkv)))
        else:
            for part, t in zip("qkv", qkv):
                w.add_tensor(f"{b}attn_{part}.weight", np.ascontiguousarray(t))
        add(b + "attn_output.weight", c + "attention.output.weight", HIDDEN, HEADS * hd)
        if arch in ("qwen3", "qwen3moe", "gemma3"):
            add(b + "attn_q_norm.weight", c + "attention.q_norm.weight", 1, hd)
            add(b + "attn_k_norm.weight", c + "attention.k_norm.weight", 1, hd)
        if arch == "olmo2":
            add(b + "attn_q_norm.weight", c + "attention.q_norm.weight", 1, HEADS * hd)
            add(b + "attn_k_norm.weight", c + "attention.k_norm.weight", 1, KV * hd)
        else:
            add(b + "attn_norm.weight", c + "attention_norm.weight", 1, HIDDEN)
            add(b + "ffn_norm.weight", c + "ffn_norm.weight", 1, HIDDEN)
        if behind:
            add(b + "post_attention_norm.weight", c + "attention_post_norm.weight", 1, HIDDEN)
            add(b + "post_ffw_norm.weight", c + "ffn_post_norm.weight", 1, HIDDEN)
        if "experts" in case:
            count, _, ffn, _ = case["experts"]
            add(b + "ffn_gate_inp.weight", c + "ffn.router.weight", count, HIDDEN)
            for part, rows, cols in (("gate", ffn, HIDDEN), ("up", ffn, HIDDEN), ("down", HIDDEN, ffn)):
                t = tensor(f"{c}ffn.experts.{part}.weight", count * rows, cols).reshape(count, rows, cols)
                w.add_tensor(f"{b}ffn_{part}_exps.weight", np.ascontiguousarray(t))
        elif arch == "phi3":
            both = [tensor(f"{c}ffn.{p}.weight", FFN, HIDDEN) for p in ("gate", "up")]
            w.add_tensor(b + "ffn_up.weight", np.ascontiguousarray(np.concatenate(both)))
            add(b + "ffn_down.weight", c + "ffn.down.weight", HIDDEN, FFN)
        else:
            for part, rows, cols in (("gate", FFN, HIDDEN), ("up", FFN, HIDDEN), ("down", HIDDEN, FFN)):
                add(f"{b}ffn_{part}.weight", f"{c}ffn.{part}.weight", rows, cols)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def bindings(peer, work):
    """The raw C bindings out of the pinned source archive."""
    archive = subprocess.run([HERE / "fetch-llamacpp-source.sh"], check=True, capture_output=True, text=True).stdout.strip()
    with tarfile.open(archive) as tar:
        members = [m for m in tar.getmembers() if "/llama_cpp/" in m.name and m.name.endswith(".py") and m.name.count("/") == 2]
        tar.extractall(work, members)
    source = next(work.glob("*/llama_cpp"))
    os.environ["LLAMA_CPP_LIB_PATH"] = str(peer / "build" / "bin")
    package = types.ModuleType("llama_cpp")
    package.__path__ = [str(source)]
    sys.modules["llama_cpp"] = package
    import llama_cpp.llama_cpp as raw

    return raw


def peer_logits(raw, path, tokens):
    model = raw.llama_model_load_from_file(str(path).encode(), raw.llama_model_default_params())
    if not model:
        sys.exit(f"the peer cannot load {path}")
    params = raw.llama_context_default_params()
    # (Longer than the original context, as the oracle's configuration is.)
    params.n_ctx = params.n_batch = params.n_ubatch = 128
    params.n_threads = params.n_threads_batch = 1
    context = raw.llama_init_from_model(model, params)
    batch = raw.llama_batch_init(len(tokens), 0, 1)
    batch.n_tokens = len(tokens)
    for i, t in enumerate(tokens):
        batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = t, i, 1, 1
        batch.seq_id[i][0] = 0
    if raw.llama_decode(context, batch):
        sys.exit(f"the peer failed on {path}")
    p = ctypes.cast(raw.llama_get_logits(context), ctypes.POINTER(ctypes.c_float))
    return np.ctypeslib.as_array(p, shape=(len(tokens), VOCAB)).astype(np.float64)


def akunu_logits(akunu, path, tokens, work, level):
    (work / "tokens.json").write_text(json.dumps(tokens))
    out = work / "logits.f32"
    command = [akunu, "logits", path, "--device", "cpu", "--tokens", work / "tokens.json", "--window", str(len(tokens)),
               "--rows", "8", "-o", out]
    env = dict(os.environ, AKUNU_CPU=level)
    subprocess.run([str(c) for c in command], check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return np.fromfile(out, "<f4").reshape(-1, VOCAB).astype(np.float64)


def apart(p, q):
    """Mean KL divergence of q from p, and how often their best agree."""
    log = lambda x: x - np.logaddexp.reduce(x, axis=1, keepdims=True)
    p, q = log(p), log(q)
    kl = float((np.exp(p) * (p - q)).sum(axis=1).mean())
    return kl, float((p.argmax(axis=1) == q.argmax(axis=1)).mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--akunu", default=str(HERE.parent / "target/fast/akunu"))
    parser.add_argument("--level", default="", help="AKUNU_CPU: reference, avx2, ...; the best of the machine if not given")
    cache = pathlib.Path(os.environ.get("AKUNU_CACHE") or pathlib.Path.home() / ".cache/akunu")
    parser.add_argument("--peer", type=pathlib.Path, default=cache / "peer")
    parser.add_argument("cases", nargs="*")
    args = parser.parse_args()
    tensor, result = formula(), []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        raw = bindings(args.peer, work)
        # (Kept, because the library keeps a pointer to it.)
        quiet = raw.llama_log_callback(lambda *_: None)
        raw.llama_log_set(quiet, None)
        raw.llama_backend_init()
        for case in json.loads((FIXTURES / "cases.json").read_text()):
            name = case["name"]
            if args.cases and name not in args.cases or name in LEFT_OUT:
                continue
            path = work / f"{name}.gguf"
            write(case, path, tensor)
            tokens = case["tokens"]
            oracle = np.fromfile(FIXTURES / f"{name}.f32", "<f4").reshape(-1, VOCAB).astype(np.float64)
            peer = peer_logits(raw, path, tokens)
            ours = akunu_logits(args.akunu, path, tokens, work, args.level)
            row = {"case": name}
            for key, pair in (("from_peer", (peer, ours)), ("akunu_from_oracle", (oracle, ours)),
                              ("peer_from_oracle", (oracle, peer))):
                kl, top = apart(*pair)
                row[key] = {"kl": kl, "top1": top}
            result.append(row)
            print(f"{name:16} akunu from peer: KL {row['from_peer']['kl']:.1e}, top-1 {row['from_peer']['top1']:.1%}; from the "
                  f"oracle: akunu {row['akunu_from_oracle']['kl']:.1e}, peer {row['peer_from_oracle']['kl']:.1e}", file=sys.stderr)
    json.dump({"what": "tiny random models of every architecture, one GGUF for both", "left_out": LEFT_OUT,
               "command": "tools/arch_peer.py", "cases": result}, sys.stdout, indent=1)


main()
