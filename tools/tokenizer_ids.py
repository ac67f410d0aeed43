#!/usr/bin/env python3
"""Token ids of a multilingual sample by the `tokenizers` library, for Qwen3, Gemma 3 and Llama 3.

    tools/fetch-tokenizers.sh && $PY tools/tokenizer_ids.py    rewrites tests/fixtures/tokenizers.json"""
import json, os, pathlib
import tokenizers

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "tests" / "fixtures"
CACHE = pathlib.Path(os.environ.get("AKUNU_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "akunu")
TEXTS = [
    "The quick brown fox jumps over the lazy dog. It's 12,345.67 o'clock — isn't IT?",
    " leading and trailing  spaces   \n\n\tindented\r\n  twice ",
    "Grüße aus Köln: naïve café, Ærøskøbing, İstanbul'da, Đà Nẵng, źdźbło",
    "e\u0301 cafe\u0301 A\u030a n\u0303o (decomposed)", "Ελληνικά, кириллица, հայերեն, ქართული",
    "中文分词测试,日本語の文章です。한국어 문장입니다.", "עברית וערבית: السلام عليكم", "हिन्दी वाक्य, தமிழ், ไทยไม่มีช่องว่าง",
    "emoji 🦙👩‍👩‍👧‍👦🏳️‍🌈 and 𝔪𝔞𝔱𝔥 ∑∫√ ½ ² Ⅷ", "def f(x):\n    return {\"a\": [1, 22, 333, 4444], 'b': x**2}  # note\n",
    "https://example.org/a_b?c=d&e=%20f", "zero\u200bwidth\u00a0no-break\u3000ideographic\u2028line", "\u0000\u0001\u007f control", "▁marked ▁▁ already",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "                    ", "\n\n\n\n\n", "",
    "<|im_start|>user\nhi<|im_end|>\n<think>\n", "<start_of_turn>user\nhi<end_of_turn>\n", "<|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>",
]


def main():
    sample = json.loads((FIXTURES / "oracle" / "tokenizer_sample.json").read_text())
    texts = TEXTS + sample
    out = dict(tokenizers=tokenizers.__version__, texts=texts)
    for name in ("qwen3", "gemma3", "llama3"):
        t = tokenizers.Tokenizer.from_file(str(CACHE / "tokenizers" / name / "tokenizer.json"))
        out[name] = [t.encode(x, add_special_tokens=False).ids for x in texts]
    (FIXTURES / "tokenizers.json").write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in out.items()) + "\n}\n")


main()
