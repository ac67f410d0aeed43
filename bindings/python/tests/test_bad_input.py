"""What nobody should do: an error, no crash, nothing that stays."""

import asyncio
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time

import akunu
import pytest
from conftest import idle


def test_errors_name_what_and_where(smollm2: akunu.Model) -> None:
    with pytest.raises(akunu.ModelError, match="no/such.gguf"):
        akunu.Model("/no/such.gguf")
    with pytest.raises(ValueError, match="toaster"):
        akunu.Model("smollm2", device="toaster")
    with pytest.raises(ValueError, match="q3"):
        akunu.Model("smollm2", cache_type_k="q3")
    with pytest.raises(TypeError, match="temprature"):
        smollm2.generate("x", temprature=1)
    with pytest.raises(TypeError, match="temperature"):
        smollm2.generate("x", temperature="hot")
    with pytest.raises(OverflowError):
        smollm2.generate("x", max_tokens=-1)
    with pytest.raises(OverflowError):
        smollm2.generate("x", max_tokens=1 << 80)
    with pytest.raises(ValueError, match="outside the vocabulary"):
        smollm2.generate([1 << 31])
    with pytest.raises(ValueError, match="outside the vocabulary"):
        smollm2.decode([10_000_000])
    with pytest.raises(akunu.ContextFullError):
        smollm2.generate([1] * 5000)
    with pytest.raises(UnicodeEncodeError):
        smollm2.generate("\ud800")
    with pytest.raises(ValueError, match="encoder"):
        akunu.Embedder(smollm2)
    with pytest.raises(ValueError, match="role"):
        smollm2.chat([{"content": "x"}])
    with pytest.raises(ValueError, match="empty"):
        smollm2.session().decode(max_tokens=1)
    with pytest.raises(akunu.AkunuError, match="/no/such/session"):
        smollm2.session().load("/no/such/session")


def test_callbacks_that_raise(smollm2: akunu.Model) -> None:
    class Own(Exception):
        pass

    def progress(phase: str, done: int, total: int) -> None:
        raise Own

    with pytest.raises(Own):
        akunu.Model("smollm2", context=256, progress=progress)
    session = smollm2.session()
    session.append("Once upon a time")

    def on_text(text: str) -> None:
        raise Own

    with pytest.raises(Own):
        session.generate(max_tokens=50, on_text=on_text)
    assert len(session.decode(max_tokens=3)) == 3, "it goes on"


def test_a_session_is_for_one_thread(tiny: akunu.Model) -> None:
    session = tiny.session()
    session.append("once")
    t = threading.Thread(target=lambda: session.generate(max_tokens=100_000, temperature=1.0, overflow="shift", ignore_eos=True))
    t.start()
    time.sleep(0.2)
    with pytest.raises(RuntimeError, match="another thread"):
        session.decode(max_tokens=1)
    session.cancel()
    t.join(10)
    assert not t.is_alive()
    assert len(session.decode(max_tokens=2, temperature=0)) == 2


def test_many_threads(tiny: akunu.Model) -> None:
    want = tiny.generate("once upon", max_tokens=20, temperature=0.9, seed=4).tokens
    wrong: list[object] = []

    def work(i: int) -> None:
        draw = random.Random(i)
        for _ in range(3):
            if draw.random() < 0.4:
                stream = tiny.stream("once", max_tokens=100_000, temperature=1.0, overflow="shift", ignore_eos=True)
                next(stream)
                stream.close() if draw.random() < 0.5 else None
                del stream
            elif (got := tiny.generate("once upon", max_tokens=20, temperature=0.9, seed=4).tokens) != want:
                wrong.append(got)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(64)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120)
    assert not any(t.is_alive() for t in threads) and not wrong
    assert idle(tiny), "what was dropped is cancelled"


def test_many_tasks(tiny: akunu.Model) -> None:
    want = tiny.generate("once upon", max_tokens=20, temperature=0.9, seed=4).tokens

    async def one(i: int) -> bool:
        if i % 3 == 0:
            async with tiny.stream("once", max_tokens=100_000, temperature=1.0, overflow="shift", ignore_eos=True) as stream:
                async for _ in stream:
                    return True
        if i % 3 == 1:
            return (await tiny.stream("once upon", max_tokens=20, temperature=0.9, seed=4)).tokens == want
        try:
            await asyncio.wait_for(tiny.stream("once", max_tokens=100_000, temperature=1.0, overflow="shift", ignore_eos=True), 0.05)
        except TimeoutError:
            return True
        return False

    async def main() -> list[bool]:
        return await asyncio.gather(*(one(i) for i in range(200)))

    assert all(asyncio.run(main()))
    assert idle(tiny), "what was cancelled has ended"


def run(code: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, **more)


LOAD = "import akunu, os, sys, threading, asyncio, time\nm = akunu.Model(os.environ['AKUNU_TINY'], context=512)\n"
ENDLESS = "max_tokens=10**9, temperature=1.0, overflow='shift', ignore_eos=True"


@pytest.mark.parametrize(
    "end",
    [
        f"s = m.stream('a', {ENDLESS})\nnext(s)",
        f"t = threading.Thread(target=lambda: m.generate('a', {ENDLESS}), daemon=True)\nt.start()\ntime.sleep(0.2)",
        f"s = m.session()\ns.append('a')\n"
        f"t = threading.Thread(target=lambda: s.generate({ENDLESS}), daemon=True)\nt.start()\ntime.sleep(0.2)",
        f"async def f():\n  asyncio.create_task(m.stream('a', {ENDLESS})._rest())\n  await asyncio.sleep(0.2)\nasyncio.run(f())",
        f"s = m.stream('a', {ENDLESS})\nnext(s)\nsys.exit(0)",
    ],
    ids=["stream", "daemon thread", "daemon session", "task", "exit"],
)
def test_the_interpreter_may_end_in_mid_generation(end: str) -> None:
    done = run(LOAD + end)
    assert done.returncode == 0, done.stderr


def test_ctrl_c_ends_a_wait() -> None:
    # A program that was started in the background may have inherited that the signal is ignored.
    handled = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code = LOAD + handled + f"print('go', flush=True)\ntry:\n  m.generate('a', {ENDLESS})\nexcept KeyboardInterrupt:\n  print('stopped')"
    p = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert p.stdout is not None and p.stdout.readline() == "go\n"
    time.sleep(0.3)
    p.send_signal(signal.SIGINT)
    assert p.communicate(timeout=20)[0] == "stopped\n" and p.returncode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_after_loading_is_an_error_in_the_child() -> None:
    code = LOAD + (
        "m.generate('a', max_tokens=2)\ns = m.session()\ns.append('a')\nstream = m.stream('a', max_tokens=5)\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "  for f in (lambda: m.generate('a'), lambda: s.decode(max_tokens=1), lambda: next(stream), m.session):\n"
        "    try: f()\n"
        "    except RuntimeError as e: assert 'fork' in str(e), e\n"
        "    else: os._exit(3)\n"
        "  print('child done', flush=True)\n"
        "  sys.exit(0)\n"
        "_, status = os.waitpid(pid, 0)\n"
        "assert status == 0, status\n"
        "assert len(m.generate('a', max_tokens=2, ignore_eos=True).tokens) == 2\n"
        "print('parent done')"
    )
    done = run(code)
    assert done.stdout.split("\n")[:2] == ["child done", "parent done"], done


def _in_child(path: str) -> int:
    return len(akunu.Model(path, context=256).generate("a", max_tokens=3, ignore_eos=True).tokens)


def test_spawned_processes_load_their_own() -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(_in_child, [os.environ["AKUNU_TINY"]] * 2) == [3, 3]


def test_loads_leave_nothing() -> None:
    def resident() -> int:
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4096

    def once() -> None:
        with akunu.Model(os.environ["AKUNU_TINY"], context=256, threads=1) as model:
            model.generate("a", max_tokens=1)

    if not os.path.exists("/proc/self/statm"):
        pytest.skip("no /proc here")
    for _ in range(100):
        once()
    before = resident()
    for _ in range(900):
        once()
    assert resident() - before < 24 << 20


def test_the_command_line() -> None:
    done = subprocess.run([sys.executable, "-m", "akunu", "--version"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.strip().endswith(akunu.__version__)
    done = subprocess.run([sys.executable, "-m", "akunu", "nonsense"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "nonsense" in done.stderr
