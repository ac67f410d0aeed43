#!/usr/bin/env python3
"""The official clients against a server: every route and option that they have, streaming and not, and 64 at once.

    pip install openai anthropic
    akunu serve smollm2 --port 8080
    python tools/serve_clients.py http://127.0.0.1:8080 [KEY]

Prints a line for each check, and exits with 1 where one fails.
"""

import concurrent.futures
import json
import sys
import time
import urllib.request

import anthropic
import openai

BASE = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
KEY = sys.argv[2] if len(sys.argv) > 2 else "none"
SAID = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is the capital of France?"}]
failed = []


def check(name):
    def run(f):
        start = time.time()
        try:
            what = f()
        except Exception as e:  # noqa: BLE001: whatever it is, the next check runs
            failed.append(name)
            what = f"FAILED {type(e).__name__}: {e}"
        print(f"{name}: {what} ({time.time() - start:.2f} s)", flush=True)

    return run


client = openai.OpenAI(base_url=BASE + "/v1", api_key=KEY, max_retries=0)
claude = anthropic.Anthropic(base_url=BASE, api_key=KEY, max_retries=0)
model = client.models.list().data[0].id


def get(path, body=None):
    request = urllib.request.Request(BASE + path, headers={"Authorization": f"Bearer {KEY}"})
    if body is not None:
        request.data = json.dumps(body).encode()
    with urllib.request.urlopen(request) as r:
        return r.read().decode()


@check("chat")
def _():
    r = client.chat.completions.create(model=model, messages=SAID, temperature=0, max_tokens=24)
    assert r.choices[0].finish_reason in ("stop", "length") and r.usage.completion_tokens > 0
    return r.choices[0].message.content


@check("chat, stream")
def _():
    whole = client.chat.completions.create(model=model, messages=SAID, temperature=0, max_tokens=24)
    parts = client.chat.completions.create(
        model=model, messages=SAID, temperature=0, max_tokens=24, stream=True, stream_options={"include_usage": True}
    )
    text, usage = "", None
    for c in parts:
        usage = c.usage or usage
        text += (c.choices[0].delta.content or "") if c.choices else ""
    assert text == whole.choices[0].message.content, (text, whole.choices[0].message.content)
    assert usage.completion_tokens == whole.usage.completion_tokens
    return f"{usage.prompt_tokens_details.cached_tokens} of {usage.prompt_tokens} prompt tokens cached"


@check("chat, n and seed")
def _():
    ask = lambda: client.chat.completions.create(model=model, messages=SAID, n=3, seed=7, temperature=1, max_tokens=12)
    one, two = ask(), ask()
    assert len({c.message.content for c in one.choices}) > 1
    return [c.message.content for c in two.choices][0]


@check("chat, stop")
def _():
    r = client.chat.completions.create(model=model, messages=SAID, stop=["Paris"], temperature=0)
    assert "Paris" not in r.choices[0].message.content and r.choices[0].finish_reason == "stop"
    return repr(r.choices[0].message.content)


@check("completions")
def _():
    r = client.completions.create(model=model, prompt=["Once upon", "The sea"], max_tokens=8, n=2, temperature=0.7)
    assert len(r.choices) == 4
    text = "".join(c.choices[0].text for c in client.completions.create(model=model, prompt="a b c", max_tokens=8, stream=True) if c.choices)
    return repr(text)


@check("responses")
def _():
    r = client.responses.create(model=model, input="What is 1 + 1?", instructions="Be brief.", max_output_tokens=16, temperature=0)
    with client.responses.stream(model=model, input="What is 1 + 1?", instructions="Be brief.", max_output_tokens=16, temperature=0) as s:
        text = "".join(e.delta for e in s if e.type == "response.output_text.delta")
        final = s.get_final_response()
    assert text == r.output_text == final.output_text, (text, r.output_text)
    return repr(text)


@check("errors have types")
def _():
    for more, want in (({"top_p": 0.5}, openai.BadRequestError), ({"model": "other"}, openai.NotFoundError)):
        try:
            client.chat.completions.create(**({"model": model, "messages": SAID} | more))
        except want as e:
            assert e.body["message"]
        else:
            raise AssertionError(f"{more} was taken")
    try:
        client.embeddings.create(model=model, input="x")
    except openai.APIStatusError as e:
        assert e.status_code == 501
    return "refused by name"


@check("anthropic")
def _():
    say = [{"role": "user", "content": "What is the capital of France?"}]
    # Newer clients have no parameter for it.
    greedy = {"temperature": 0}
    r = claude.messages.create(model=model, max_tokens=24, system="Be brief.", messages=say, extra_body=greedy)
    with claude.messages.stream(model=model, max_tokens=24, system="Be brief.", messages=say, extra_body=greedy) as s:
        text = "".join(s.text_stream)
        final = s.get_final_message()
    assert text == r.content[0].text and final.usage.output_tokens == r.usage.output_tokens
    n = claude.messages.count_tokens(model=model, system="Be brief.", messages=say).input_tokens
    assert n == r.usage.input_tokens + (r.usage.cache_read_input_tokens or 0)
    return repr(text)


@check("ollama's and llama.cpp's")
def _():
    options = {"num_predict": 12, "temperature": 0}
    lines = get("/api/chat", {"model": model, "messages": SAID, "options": options}).splitlines()
    assert json.loads(lines[-1])["done"]
    assert json.loads(get("/api/generate", {"model": model, "prompt": "Hi", "stream": False, "options": options}))["response"]
    assert json.loads(get("/completion", {"prompt": "Hi", "n_predict": 4}))["tokens_predicted"] >= 1
    for path in ("/api/tags", "/api/ps", "/api/version", "/props", "/slots", "/openapi.json", "/health"):
        json.loads(get(path))
    return f"{len(lines)} lines"


@check("64 at once")
def _():
    def one(i):
        body = {"model": model, "messages": [{"role": "user", "content": f"Count from {i}."}], "max_tokens": 32, "temperature": 0}
        if i % 2:
            return "".join(c.choices[0].delta.content or "" for c in client.chat.completions.create(stream=True, **body))
        return client.chat.completions.create(**body).choices[0].message.content

    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        texts = list(pool.map(one, range(64)))
    assert all(texts)
    return f"{64 * 32 / (time.time() - start):.0f} tokens/s at most"


@check("metrics add up")
def _():
    n = {l.split()[0]: float(l.split()[1]) for l in get("/metrics").splitlines() if l.startswith("akunu_requests")}
    parts = sum(n[f"akunu_requests_{p}"] for p in ("completed_total", "cancelled_total", "failed_total", "in_flight"))
    assert n["akunu_requests_accepted_total"] == parts and n["akunu_requests_failed_total"] == 0
    return f"{int(parts)} accepted"


sys.exit(1 if failed else 0)
