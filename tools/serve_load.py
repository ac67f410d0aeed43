#!/usr/bin/env python3
"""Load on `akunu serve` that must lose nothing: ten times as many clients as answers run at a time, of which some leave, some
are killed, some read slowly.

    python3 tools/serve_load.py target/release/akunu MODEL [--seconds 600] [--out RECORD.json]

Needs Linux and Python's standard library. Checks, and ends with 1 where one fails:
  * at every scrape, accepted = completed + cancelled + failed + in flight;
  * nothing has failed, and what clients saw complete is at most what the server counts;
  * canaries: each stream that is read says what its prompt says when it runs alone (the server runs with --deterministic), or the
    beginning of that where the client left;
  * at the end no answer runs or waits, no block is held, files and threads are as many as before, and memory is what it was
    after the first burst (a tenth and 64 MiB are allowed).
"""
import argparse, asyncio, json, os, platform, random, re, signal, socket, struct, subprocess, sys, time, urllib.request

SEQUENCES, QUEUE, TOKENS = 8, 64, 24
PROMPTS = [f"Number {i} of the list of {w} is called" for i, w in enumerate(
    ["rivers", "kings", "birds", "cities", "songs", "stars", "trees", "ships", "books", "winds", "towns", "fish"] * 2)]
KINDS = {"stream": 4, "whole": 3, "leaves": 3, "leaves_whole": 2, "slow": 1, "refused": 1}


def body(i, stream):
    return json.dumps({"prompt": PROMPTS[i], "max_tokens": TOKENS, "temperature": 0, "ignore_eos": True, "stream": stream})


def request(port, text):
    return (f"POST /v1/completions HTTP/1.1\r\nhost: localhost:{port}\r\nconnection: close\r\ncontent-type: application/json\r\n"
            f"content-length: {len(text)}\r\n\r\n{text}").encode()


def text_of(raw, stream):
    """Status and text of an answer, as far as it came."""
    head, _, rest = raw.partition(b"\r\n\r\n")
    status = int(head.split(b" ")[1]) if head.startswith(b"HTTP/1.1 ") and head.count(b" ") > 1 else 0
    if status != 200:
        return status, "", False
    if not stream:
        return status, json.loads(rest)["choices"][0]["text"], True
    out, done = "", b"data: [DONE]" in rest
    for line in re.findall(rb"^data: (\{.*\})\r?$", rest, re.M):
        v = json.loads(line)
        if "error" in v:
            return status, json.dumps(v), False
        out += v["choices"][0]["text"]
    return status, out, done


class Load:
    def __init__(self, port, pid):
        self.port, self.pid = port, pid
        self.want, self.faults, self.seen = [], [], {}
        self.scrapes, self.most_running, self.most_waiting = 0, 0, 0

    def count(self, what):
        self.seen[what] = self.seen.get(what, 0) + 1

    def fault(self, text):
        if len(self.faults) < 50:
            self.faults.append(text)
            print("FAULT", text, flush=True)

    def metrics(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=60) as r:
            lines = r.read().decode().splitlines()
        return {l.rsplit(" ", 1)[0].split("{")[0]: float(l.rsplit(" ", 1)[1]) for l in lines if l and l[0] != "#"}

    def process(self):
        status = open(f"/proc/{self.pid}/status").read()
        number = lambda name: int(re.search(rf"{name}:\s+(\d+)", status).group(1))
        return {"rss_kib": number("VmRSS"), "threads": number("Threads"), "files": len(os.listdir(f"/proc/{self.pid}/fd"))}

    def scrape(self):
        m = self.metrics()
        n = {k: m[f"akunu_requests_{k}" + ("" if k == "in_flight" else "_total")]
             for k in ("accepted", "completed", "cancelled", "failed", "in_flight")}
        if n["accepted"] != n["completed"] + n["cancelled"] + n["failed"] + n["in_flight"]:
            self.fault(f"the counts do not add up: {n}")
        self.scrapes += 1
        self.most_running = max(self.most_running, m["vllm:num_requests_running"])
        self.most_waiting = max(self.most_waiting, m["vllm:num_requests_waiting"])
        return m, n

    def check(self, i, kind, text, whole):
        want = self.want[i]
        if text != want if whole else not want.startswith(text.rstrip("\ufffd")):
            self.fault(f"{kind}: another text for prompt {i}: {text!r}, not {want!r}")

    async def client(self, rng, until):
        while time.monotonic() < until:
            kind = rng.choices(list(KINDS), KINDS.values())[0]
            i = rng.randrange(len(PROMPTS))
            try:
                await asyncio.wait_for(self.one(rng, kind, i), 180)
            except asyncio.TimeoutError:
                self.fault(f"{kind}: no end within 180 s")
            except OSError as e:
                self.fault(f"{kind}: {e}")

    async def one(self, rng, kind, i):
        stream = kind in ("stream", "leaves", "slow")
        limit = 2048 if kind == "slow" else 1 << 16
        s = socket.socket()
        if kind == "slow":
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        s.setblocking(False)
        await asyncio.get_running_loop().sock_connect(s, ("127.0.0.1", self.port))
        reader, writer = await asyncio.open_connection(sock=s, limit=limit)
        text = body(i, stream)
        if kind == "refused":
            text = text.replace('"max_tokens": 24', '"max_tokens": 999999')
        since = time.monotonic()
        writer.write(request(self.port, text))
        raw, leaves_after = b"", rng.uniform(0.0, 4.0)
        while True:
            if kind.startswith("leaves"):
                left = since + leaves_after - time.monotonic()
                try:
                    piece = await asyncio.wait_for(reader.read(4096), max(left, 0.001))
                except asyncio.TimeoutError:
                    # Half of them with a reset.
                    if rng.random() < 0.5:
                        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    break
            else:
                piece = await reader.read(64 if kind == "slow" else 65536)
                if kind == "slow":
                    await asyncio.sleep(0.02)
            if not piece:
                break
            raw += piece
        writer.close()
        status, out, done = text_of(raw, stream) if raw else (0, "", False)
        if status == 503:
            self.count("refused_full")
            if b"retry-after" not in raw.lower():
                self.fault("503 without Retry-After")
            return await asyncio.sleep(rng.uniform(0.1, 1.0))
        if kind == "refused":
            self.count("refused_too_long")
            if status != 400:
                self.fault(f"a request beyond its context got {status}")
        elif kind.startswith("leaves") and not done:
            self.count("left")
            self.check(i, kind, out, False)
        elif status != 200 or not done:
            self.fault(f"{kind}: {status}, {raw[:300]!r}")
        else:
            self.count("read_to_the_end")
            self.check(i, kind, out, True)

    async def killed(self, rng, until):
        """Processes with four streams each that are killed."""
        code = ("import socket,sys,time\nc=[]\nfor _ in range(4):\n s=socket.create_connection(('127.0.0.1',int(sys.argv[1])));"
                "s.sendall(sys.argv[2].encode());c.append(s)\ntime.sleep(60)")
        while time.monotonic() < until:
            text = request(self.port, body(rng.randrange(len(PROMPTS)), rng.random() < 0.5)).decode()
            p = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(self.port), text)
            await asyncio.sleep(rng.uniform(0.3, 4.0))
            p.kill()
            await p.wait()
            self.count("killed_processes")

    async def scraper(self, until):
        while time.monotonic() < until:
            await asyncio.to_thread(self.scrape)
            await asyncio.sleep(0.2)

    async def run(self, seconds):
        until = time.monotonic() + seconds
        clients = [self.client(random.Random(n), until) for n in range(10 * SEQUENCES)]
        await asyncio.gather(self.scraper(until), self.killed(random.Random(1000), until), *clients)

    async def rest(self):
        """Waits until nothing runs; the numbers then."""
        until = time.monotonic() + 120
        while True:
            m, n = await asyncio.to_thread(self.scrape)
            idle = [n["in_flight"], m["vllm:num_requests_running"], m["vllm:num_requests_waiting"], m["vllm:kv_cache_usage_perc"]]
            if not any(idle):
                return m, n
            if time.monotonic() > until:
                self.fault(f"not at rest after 120 s: {idle}")
                return m, n
            await asyncio.sleep(0.2)

    async def reference(self):
        for i in range(len(PROMPTS)):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(request(self.port, body(i, False)))
            self.want.append(text_of(await reader.read(), False)[1])
            writer.close()
        if len(set(self.want)) < len(PROMPTS):
            self.fault("two prompts have one answer, and are no canaries")


async def measure(load, seconds):
    await load.reference()
    # The first burst: what is allocated once is there after it.
    await load.run(min(30, seconds / 4))
    await load.rest()
    await asyncio.sleep(2)
    before = load.process()
    await load.run(seconds)
    m, n = await load.rest()
    await asyncio.sleep(2)
    after = load.process()
    if after["rss_kib"] > before["rss_kib"] * 1.1 + 65536:
        load.fault(f"memory has grown: {before} {after}")
    if after["files"] > before["files"] or after["threads"] > before["threads"] + 8:
        load.fault(f"files or threads were left: {before} {after}")
    if n["failed"]:
        load.fault(f"{n['failed']} requests have failed")
    if load.seen.get("read_to_the_end", 0) > n["completed"]:
        load.fault(f"{load.seen} beside {n}")
    return before, after, m, n


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("akunu")
    a.add_argument("model")
    a.add_argument("--seconds", type=float, default=600)
    a.add_argument("--out")
    a = a.parse_args()
    options = ["--port", "0", "--json", "--device", "cpu", "--ctx", "1024", "--sequences", str(SEQUENCES), "--queue", str(QUEUE),
               "--deterministic"]
    server = subprocess.Popen([a.akunu, "serve", a.model, *options], stdout=subprocess.PIPE)
    try:
        port = int(json.loads(server.stdout.readline())["listening"].rsplit(":", 1)[1])
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5)
                break
            except OSError:
                time.sleep(0.1)
        load, since = Load(port, server.pid), time.monotonic()
        before, after, m, n = asyncio.run(measure(load, a.seconds))
        seconds = round(time.monotonic() - since, 1)
    finally:
        server.send_signal(signal.SIGTERM)
        code = server.wait(60)
    # Its answers have ended, and then it ends by the signal that asked for it.
    if code not in (0, -signal.SIGTERM, 128 + signal.SIGTERM):
        load.fault(f"the server ended with {code}")
    cpu = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
    record = {
        "what": "akunu serve under ten times as many clients as answers at a time; nothing lost",
        "command": f"tools/serve_load.py akunu {os.path.basename(a.model)} --seconds {a.seconds:g}",
        "server_options": options, "model": os.path.basename(a.model),
        "machine": {"cpu": cpu and cpu.group(1), "cores": os.cpu_count(), "system": platform.system(), "load_average": os.getloadavg()},
        "version": subprocess.run([a.akunu, "--version"], capture_output=True, text=True).stdout.strip(),
        "seconds_in_all": seconds, "clients": 10 * SEQUENCES, "scrapes": load.scrapes, "requests": n, "seen_by_clients": load.seen,
        "most_running": load.most_running, "most_waiting": load.most_waiting, "tokens_drawn": m["vllm:generation_tokens_total"],
        "before": before, "after": after, "faults": load.faults,
    }
    print(json.dumps(record, indent=1))
    if a.out:
        with open(a.out, "w") as f:
            json.dump(record, f, indent=1)
            f.write("\n")
    sys.exit(1 if load.faults else 0)


if __name__ == "__main__":
    main()
