#!/usr/bin/env python3
"""Tokens a second through HTTP, for `akunu serve` and for llama.cpp's server alike.

    python3 tools/serve_speed.py --streams 1,8 --prompt 512 --generate 128 [--repeats 3] [--vocab N] [--out FILE] URL
    python3 tools/serve_speed.py ... -- COMMAND      starts a server by COMMAND, waits for /health, and ends it

Needs Python's standard library. For each number of streams, so many clients send `/completion` with prompts of token ids at once, no two
with a common beginning, and read the streams to their end, with the ids of their tokens (`return_tokens`): a text may lag. Prints JSON: all
tokens over all time (`s`), tokens drawn while every stream was drawing (`s_tg`), and in milliseconds the times to the first token and between two. The clients share one process that only counts
events, so it costs little; `client_share` says how much of a core.
"""
import argparse, json, re, selectors, socket, statistics, subprocess, sys, time, urllib.parse, urllib.request

# The ids of an event. The last event has an empty list, or repeats none of them.
TOKENS = re.compile(rb'"tokens":\s*\[([^\]]*)\]')


def prompt(number, length, vocab):
    return [(i * 31 + number * 977 + 5 + (number * 7919 if i == 0 else 0)) % (vocab - 100) + 50 for i in range(length)]


class Client:
    def __init__(self, address, number, a):
        # No prompt begins as another does, so it does not matter that servers keep them.
        body = json.dumps({"prompt": prompt(number, a.prompt, a.vocab), "n_predict": a.generate, "temperature": 0, "ignore_eos": True, "return_tokens": True,
                           "stream": True})
        self.request = (f"POST /completion HTTP/1.1\r\nhost: {address[0]}:{address[1]}\r\ncontent-type: application/json\r\n"
                        f"connection: close\r\ncontent-length: {len(body)}\r\n\r\n{body}").encode()
        self.socket = socket.create_connection(address)
        self.times, self.rest, self.status = [], b"", b""

    def send(self):
        self.socket.sendall(self.request)
        self.socket.setblocking(False)


def run(address, streams, base, a):
    clients = [Client(address, base + i, a) for i in range(streams)]
    selector = selectors.DefaultSelector()
    start, cpu = time.perf_counter(), time.process_time()
    for c in clients:
        c.send()
        selector.register(c.socket, selectors.EVENT_READ, c)
    left = streams
    while left:
        for key, _ in selector.select():
            c = key.data
            try:
                data = c.socket.recv(1 << 20)
            except BlockingIOError:
                continue
            if not data:
                selector.unregister(c.socket)
                c.socket.close()
                left -= 1
                continue
            now = time.perf_counter()
            c.status = c.status or data[:12]
            whole = c.rest + data
            end = 0
            for found in TOKENS.finditer(whole):
                c.times += [now] * (found[1].count(b",") + 1 if found[1].strip() else 0)
                end = found.end()
            # A list may come in two parts.
            c.rest = whole[end:][-4096:]
    end, cpu = time.perf_counter(), time.process_time() - cpu
    for c in clients:
        if c.status != b"HTTP/1.1 200":
            sys.exit(f"a client was answered {c.status!r}")
        if len(c.times) != a.generate:
            sys.exit(f"a client got {len(c.times)} tokens, not {a.generate}")
    first = [c.times[0] - start for c in clients]
    gaps = sorted((y - x) * 1e3 for c in clients for x, y in zip(c.times, c.times[1:]))
    # While all draw: after the last first token, before the first last one.
    begin, over = max(c.times[0] for c in clients), min(c.times[-1] for c in clients)
    drawn = sum(sum(begin < t <= over for t in c.times) for c in clients)
    return {
        "s": streams * (a.prompt + a.generate) / (end - start),
        "s_tg": drawn / (over - begin) if over > begin else None,
        "first_token_ms": statistics.median(first) * 1e3,
        "last_first_token_ms": max(first) * 1e3,
        "between_ms": statistics.median(gaps),
        "between_p99_ms": gaps[int(len(gaps) * 0.99)],
        "client_share": cpu / (end - start),
    }


def wait(url):
    start = time.time()
    while time.time() - start < 300:
        try:
            with urllib.request.urlopen(url + "/health", timeout=5) as r:
                if r.status == 200:
                    return
        except OSError:
            pass
        time.sleep(0.05)
    sys.exit("the server is not ready after five minutes")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("url", help="http://127.0.0.1:8080")
    p.add_argument("--streams", default="1,8")
    p.add_argument("--prompt", type=int, default=512)
    p.add_argument("--generate", type=int, default=128)
    p.add_argument("--repeats", type=int, default=3)
    p.add_argument("--vocab", type=int, default=49152)
    p.add_argument("--first", type=int, default=1, help="number of the first prompt: another one for each call to the same server, else prompts are in its cache")
    p.add_argument("--out")
    argv = sys.argv[1:]
    command = []
    if "--" in argv:
        at = argv.index("--")
        argv, command = argv[:at], argv[at + 1:]
    a = p.parse_args(argv)
    url = urllib.parse.urlparse(a.url)
    address = (url.hostname, url.port or 80)
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) if command else None
    try:
        wait(a.url)
        rows, base = [], a.first + 1
        run(address, 1, a.first, a)
        for streams in map(int, a.streams.split(",")):
            samples = []
            for _ in range(a.repeats):
                samples.append(run(address, streams, base, a))
                base += streams
            middle = {k: statistics.median(s[k] for s in samples) for k in samples[0] if all(s[k] is not None for s in samples)}
            rows.append({"streams": streams, **{k: round(v, 3) for k, v in middle.items()},
                         "samples_s_tg": [s["s_tg"] and round(s["s_tg"], 1) for s in samples]})
    finally:
        if server:
            server.terminate()
            server.wait()
    result = {"prompt": a.prompt, "generate": a.generate, "repeats": a.repeats, "rows": rows}
    text = json.dumps(result, indent=1)
    print(text)
    if a.out:
        with open(a.out, "w") as f:
            f.write(text + "\n")


main()
