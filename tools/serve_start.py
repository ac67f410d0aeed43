#!/usr/bin/env python3
"""Seconds from the start of `akunu serve` to its first answer, on a file that is in the page cache.

    python3 tools/serve_start.py target/release/akunu MODEL [--runs 15] [--out RECORD.json] [-- options of akunu serve]

Needs Linux and Python's standard library. For each run: when it listens, when the model is ready, when a chat of one token is answered. The
client asks every 2 ms, so times are that much too long at most.
"""
import argparse, json, os, platform, re, statistics, subprocess, sys, time, urllib.error, urllib.request

QUESTION = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1, "temperature": 0}


def ask(url, body=None):
    """The status of an answer; None where nobody listens."""
    try:
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(url, data=data), timeout=30) as r:
            r.read()
            return r.status
    except urllib.error.HTTPError as e:
        return e.code
    except OSError:
        return None


def until(url, start, body=None):
    while ask(url, body) != 200:
        if time.perf_counter() - start > 60:
            sys.exit("no answer after a minute")
        time.sleep(0.002)
    return time.perf_counter() - start


def run(command):
    start = time.perf_counter()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = json.loads(server.stdout.readline())["listening"]
        listening = time.perf_counter() - start
        ready = until(url + "/health", start)
        first = until(url + "/v1/chat/completions", start, QUESTION)
    finally:
        server.terminate()
        server.wait()
    return {"listening": listening, "ready": ready, "first_answer": first}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("akunu")
    p.add_argument("model")
    p.add_argument("--runs", type=int, default=15)
    p.add_argument("--out")
    p.add_argument("options", nargs="*")
    a = p.parse_args()
    command = [a.akunu, "serve", a.model, "--port", "0", "--json", *a.options]
    run(command)  # The file comes into the cache.
    runs = [run(command) for _ in range(a.runs)]
    with open("/proc/cpuinfo") as f:
        cpu = re.search(r"model name\s*: (.*)", f.read())
    record = {
        "what": "seconds from the start of akunu serve to its first answer, warm cache",
        "command": f"tools/serve_start.py akunu {os.path.basename(a.model)} --runs {a.runs}",
        "server_options": a.options,
        "machine": {"cpu": cpu and cpu.group(1), "cores": os.cpu_count(), "system": platform.system(), "load_average": os.getloadavg()},
        "version": subprocess.run([a.akunu, "--version"], capture_output=True, text=True).stdout.strip(),
        "medians": {k: round(statistics.median(r[k] for r in runs), 4) for k in runs[0]},
        "largest": {k: round(max(r[k] for r in runs), 4) for k in runs[0]},
        "runs": [{k: round(v, 4) for k, v in r.items()} for r in runs],
    }
    print(json.dumps(record, indent=1))
    if a.out:
        with open(a.out, "w") as f:
            json.dump(record, f, indent=1)
            f.write("\n")


main()
