#!/usr/bin/env python3
"""The official clients against a server: every route and option that they have, streaming and not, and 64 at once.

    pip install openai anthropic
    akunu serve smollm2 [ENCODER] [--chat-template FILE] --port 8080
    python tools/serve_clients.py http://127.0.0.1:8080 [KEY]

The first model answers. Tools are checked where its chat template knows some, vectors where an encoder is served beside it; where they are not, the
check is that the server says so. Prints a line for each check, and exits with 1 where one fails.
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


COUNTRY = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20}, "people": {"type": "integer", "minimum": 0, "maximum": 10**9}},
    "required": ["name", "people"],
    "additionalProperties": False,
}


def follows(text):
    v = json.loads(text)
    assert set(v) == {"name", "people"} and isinstance(v["people"], int) and len(v["name"]) <= 20, v
    return v


@check("formats")
def _():
    schema = {"type": "json_schema", "json_schema": {"name": "country", "strict": True, "schema": COUNTRY}}
    ask = {"model": model, "messages": SAID, "temperature": 0, "max_tokens": 120}
    v = follows(client.chat.completions.create(response_format=schema, **ask).choices[0].message.content)
    with client.chat.completions.stream(response_format=schema, **ask) as s:
        assert follows(s.get_final_completion().choices[0].message.content) == v
    r = client.chat.completions.create(response_format={"type": "json_object"}, **ask).choices[0]
    assert r.finish_reason == "length" or isinstance(json.loads(r.message.content), dict)
    flat = {"format": {"type": "json_schema", "name": "country", "schema": COUNTRY}}
    follows(client.responses.create(model=model, input="A country.", text=flat, temperature=0, max_output_tokens=120).output_text)
    grammar = {"grammar": 'root ::= "yes" | "no"'}
    r = client.chat.completions.create(extra_body=grammar, **ask)
    assert r.choices[0].message.content in ("yes", "no")
    options = {"num_predict": 120, "temperature": 0}
    follows(json.loads(get("/api/chat", {"model": model, "messages": SAID, "format": COUNTRY, "stream": False, "options": options}))["message"]["content"])
    return v


@check("log-probabilities")
def _():
    ask = {"model": model, "messages": SAID, "temperature": 0, "max_tokens": 12, "logprobs": True, "top_logprobs": 3}
    whole = client.chat.completions.create(**ask).choices[0]
    content = whole.logprobs.content
    assert bytes(b for t in content for b in t.bytes).decode().strip() == whole.message.content.strip()
    assert all(len(t.top_logprobs) == 3 and t.logprob <= 0 for t in content)
    streamed = [t for c in client.chat.completions.create(stream=True, **ask) for t in (c.choices[0].logprobs.content if c.choices[0].logprobs else [])]
    assert [t.logprob for t in streamed] == [t.logprob for t in content]
    r = client.completions.create(model=model, prompt="The sea is", max_tokens=6, logprobs=2, temperature=0).choices[0].logprobs
    assert len(r.tokens) == len(r.token_logprobs) == len(r.text_offset) <= 6
    r = client.responses.create(model=model, input="Hi", max_output_tokens=8, temperature=0, top_logprobs=2, include=["message.output_text.logprobs"])
    listed = r.output[0].content[0].logprobs
    assert listed and all(len(t.top_logprobs) == 2 for t in listed)
    options = {"num_predict": 8, "temperature": 0}
    v = json.loads(get("/api/generate", {"model": model, "prompt": "Hi", "stream": False, "options": options, "logprobs": True, "top_logprobs": 1}))
    assert v["logprobs"][0]["top_logprobs"]
    return f"{whole.logprobs.content[0].token!r} at {whole.logprobs.content[0].logprob:.3f}"


@check("biases and samplers")
def _():
    token = json.loads(get("/tokenize", {"content": " yes"}))["tokens"][0]
    ask = {"model": model, "messages": SAID, "max_tokens": 3}
    r = client.chat.completions.create(logit_bias={str(token): 100}, extra_body={"ignore_eos": True}, **ask)
    assert r.choices[0].message.content == " yes yes yes", r.choices[0].message.content
    more = {"mirostat": 2, "mirostat_tau": 4, "dry_multiplier": 0.5, "xtc_probability": 0.1, "top_n_sigma": 2, "min_p": 0.02}
    r = client.chat.completions.create(seed=1, extra_body=more, **ask)
    return repr(r.choices[0].message.content)


TOOL = {"type": "function", "function": {"name": "note_country", "description": "Notes a country", "parameters": COUNTRY, "strict": True}}


@check("tools")
def _():
    ask = {"model": model, "messages": SAID, "temperature": 0, "max_tokens": 200, "tools": [TOOL], "parallel_tool_calls": False}
    try:
        r = client.chat.completions.create(tool_choice="required", **ask).choices[0]
    except openai.BadRequestError as e:
        assert e.code == "unsupported_by_model", e
        return "the model's template knows none"
    call = r.message.tool_calls[0]
    assert r.finish_reason == "tool_calls" and call.function.name == "note_country"
    v = follows(call.function.arguments)
    with client.chat.completions.stream(tool_choice="required", **ask) as s:
        streamed = s.get_final_completion().choices[0].message.tool_calls[0]
    assert streamed.function.arguments == call.function.arguments
    # The result goes back, and the model may call again or not.
    back = SAID + [r.message.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": call.id, "content": "noted"}]
    free = client.chat.completions.create(**(ask | {"messages": back})).choices[0].message
    for c in free.tool_calls or []:
        follows(c.function.arguments)
    tool = {"name": "note_country", "description": "Notes a country", "input_schema": COUNTRY}
    say = [{"role": "user", "content": "Note France."}]
    r = claude.messages.create(model=model, max_tokens=200, messages=say, tools=[tool], tool_choice={"type": "any"}, extra_body={"temperature": 0})
    assert r.stop_reason == "tool_use" and follows(json.dumps(r.content[0].input))
    with claude.messages.stream(model=model, max_tokens=200, messages=say, tools=[tool], tool_choice={"type": "any"}, extra_body={"temperature": 0}) as s:
        assert s.get_final_message().content[0].input == r.content[0].input
    flat = {"type": "function", "name": "note_country", "parameters": COUNTRY, "strict": True}
    r = client.responses.create(model=model, input="Note France.", tools=[flat], tool_choice="required", parallel_tool_calls=False, temperature=0, max_output_tokens=200)
    assert r.output[0].type == "function_call" and follows(r.output[0].arguments)
    return v


@check("thoughts")
def _():
    ask = {"model": model, "messages": SAID, "max_tokens": 16, "temperature": 0}
    r = client.chat.completions.create(reasoning_effort="none", **ask)
    assert r.usage.completion_tokens_details.reasoning_tokens == 0
    try:
        r = client.chat.completions.create(reasoning_effort="low", **ask)
    except openai.BadRequestError as e:
        assert e.code == "unsupported_by_model", e
        return "the model's template marks none"
    return f"{r.usage.completion_tokens_details.reasoning_tokens} tokens"


@check("embeddings")
def _():
    def is_encoder(name):
        return "embedding" in json.loads(get("/api/show", {"model": name}))["capabilities"]

    encoders = [m.id for m in client.models.list().data if is_encoder(m.id)]
    if not encoders:
        try:
            client.embeddings.create(model=model, input="x")
        except openai.BadRequestError as e:
            assert e.code == "unsupported_by_model", e
            return "no encoder is served"
        raise AssertionError("a model that draws tokens made vectors")
    texts = ["The cat sits on the mat.", "A cat is sitting on a rug.", "Interest rates rose."]
    # The client asks for base64 by itself.
    r = client.embeddings.create(model=encoders[0], input=texts)
    a, b, c = (d.embedding for d in r.data)
    dot = lambda x, y: sum(p * q for p, q in zip(x, y))
    plain = client.embeddings.create(model=encoders[0], input=texts[0], encoding_format="float").data[0].embedding
    assert max(abs(p - q) for p, q in zip(plain, a)) < 1e-4
    short = client.embeddings.create(model=encoders[0], input=texts[0], dimensions=16).data[0].embedding
    assert len(short) == 16
    v = json.loads(get("/api/embed", {"model": encoders[0], "input": texts}))["embeddings"]
    assert len(v) == 3 and len(v[0]) == len(a)
    return f"{len(a)} values, alike {dot(a, b):.3f}, unlike {dot(a, c):.3f}"


@check("holes")
def _():
    try:
        r = client.completions.create(model=model, prompt="def f(", suffix="):\n    return x", max_tokens=8, temperature=0)
    except openai.BadRequestError as e:
        assert e.code == "unsupported_by_model", e
        return "the model has no tokens for that"
    v = json.loads(get("/infill", {"input_prefix": "def f(", "input_suffix": "):\n    return x", "n_predict": 8, "temperature": 0}))
    assert v["content"] == r.choices[0].text
    return repr(v["content"])


@check("errors have types")
def _():
    for more, want in (({"top_p": 1.5}, openai.BadRequestError), ({"model": "other"}, openai.NotFoundError)):
        try:
            client.chat.completions.create(**({"model": model, "messages": SAID} | more))
        except want as e:
            assert e.body["message"]
        else:
            raise AssertionError(f"{more} was taken")
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
