//! Conversations: through a pipe and on a (pseudo-)terminal, in a full context, with and without a template.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn command(args: &[&str]) -> Command {
    let runs = ["run", "chat"].contains(&args[0]);
    let device: &[&str] = if runs { &["--device", "cpu"] } else { &[] };
    let mut c = Command::new(env!("CARGO_BIN_EXE_akunu"));
    c.args(args).args(device).env("AKUNU_OFFLINE", "1");
    c
}

/// Runs the command with some standard input.
fn akunu(args: &[&str], stdin: &[u8]) -> Output {
    let mut child =
        command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that fails early does not read its input.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

fn stderr(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

/// A tiny model whose end token, the last hole of its vocabulary, hardly ever comes.
fn model(dir: &Path) -> PathBuf {
    let path = dir.join("tiny.gguf");
    std::fs::write(&path, akunu_conformance::tiny_gguf(akunu::Token(1023)).unwrap()).unwrap();
    path
}

/// The same without a chat template.
fn base_model(dir: &Path) -> PathBuf {
    let path = dir.join("base.gguf");
    let mut bytes = akunu_conformance::tiny_gguf(akunu::Token(1023)).unwrap();
    let key = b"tokenizer.chat_template";
    let at = bytes.windows(key.len()).position(|w| w == key).unwrap();
    bytes[at..at + key.len()].copy_from_slice(b"tokenizer.chat_templatX");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_piped_conversation_prints_its_answers_and_how_they_were_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    let args = ["chat", m, "--system", "Be brief.", "-n", "3", "--temp", "0.5", "--seed", "7"];
    let o = akunu(&args, "\u{feff}hello\r\n\nthere \\\nfriend\n/system\n/stats\n".as_bytes());
    let err = stderr(&o);
    assert!(o.status.success(), "{err}");
    assert!(String::from_utf8_lossy(&o.stdout).ends_with("Be brief.\n"), "{o:?}");
    assert!(err.contains("3 generated") && err.contains("length"), "{err}");
    assert!(err.contains("2 answers, top-k 40, ") && err.contains(" temperature 0.5, seed 7"), "{err}");
    assert!(!err.contains("/help"), "nobody reads a greeting: {err}");
    let o = akunu(&["run", m, "hello", "-n", "3", "--temp", "0", "--seed", "9"], b"");
    assert!(stderr(&o).contains("temperature 0, seed 9"), "{}", stderr(&o));

    let o = akunu(&["chat", m], b"/system\n/system One.\n/system\n/system -\n/system\n");
    let lines = String::from_utf8(o.stdout).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    assert!(
        lines[0].starts_with("no system prompt") && lines[2].starts_with("no system prompt"),
        "{lines:?}"
    );
    assert_eq!((lines.len(), lines[1]), (3, "One."));
}

#[test]
fn a_failed_turn_of_a_pipe_ends_it_with_exit_code_1() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    let long = "word ".repeat(100) + "\nhi\n";
    for overflow in ["shift", "trim", "stop"] {
        let o = akunu(&["chat", m, "--ctx", "60", "-n", "2", "--overflow", overflow], long.as_bytes());
        assert_eq!((o.status.code(), o.stdout.len()), (Some(1), 0), "{overflow}: {}", stderr(&o));
        assert!(stderr(&o).contains("context of 60"), "{}", stderr(&o));
    }
    for (input, words) in [(&b"/fly\n"[..], "no command /fly"), (b"hi\n\xff\n", "byte 3")] {
        let o = akunu(&["chat", m, "-n", "2"], input);
        assert_eq!(o.status.code(), Some(1), "{}", stderr(&o));
        assert!(stderr(&o).contains(words), "{}", stderr(&o));
    }
    let endless = command(&["chat", m]).stdin(std::fs::File::open("/dev/zero").unwrap()).output().unwrap();
    assert_eq!(endless.status.code(), Some(1));
    assert!(stderr(&endless).contains("a line is longer than"), "{}", stderr(&endless));
}

/// Six turns of some 30 tokens in a context of 100.
#[test]
fn a_full_context_forgets_the_oldest_turns_or_stops() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    let turns = "what is the time now?\n".repeat(6) + "/stats\n";
    let talk = |overflow: &str, n: &str| {
        let args = ["chat", m, "--ctx", "100", "--system", "Be brief.", "--temp", "0", "-n", n];
        akunu(&[&args[..], &["--overflow", overflow]].concat(), turns.as_bytes())
    };
    for overflow in ["shift", "trim"] {
        let o = talk(overflow, "10");
        let err = stderr(&o);
        assert!(o.status.success(), "{overflow}: {err}");
        assert_eq!(err.matches("the oldest turns are forgotten").count(), 1, "{overflow}: {err}");
        assert!(err.contains("10 generated") && err.contains("6 answers"), "{overflow}: {err}");
    }
    let o = talk("stop", "10");
    assert_eq!(o.status.code(), Some(1), "{}", stderr(&o));
    assert!(stderr(&o).contains("context of 100") && !stderr(&o).contains("forgotten"), "{}", stderr(&o));

    // Answers longer than the context: a shift goes on, trimming ends them.
    let o = talk("shift", "250");
    assert!(o.status.success() && stderr(&o).contains("250 generated"), "{}", stderr(&o));
    assert_eq!(stderr(&o).matches("forgotten").count(), 1, "{}", stderr(&o));
    let o = talk("trim", "250");
    assert!(o.status.success() && stderr(&o).contains("context_full"), "{}", stderr(&o));
    assert!(stderr(&o).contains("--overflow shift goes on"), "{}", stderr(&o));

    // Greedy, since a draw may happen to end before.
    let long = ["run", m, "hi", "--ctx", "40", "-n", "100", "--temp", "0"];
    let run = |args: &[&str]| stderr(&akunu(&[&long, args].concat(), b""));
    let (stops, shifts) = (run(&[]), run(&["--overflow", "shift"]));
    assert!(stops.contains("context_full"), "{stops}");
    assert!(shifts.contains("100 generated"), "{shifts}");
}

#[test]
fn a_model_without_a_template_is_told_and_helped() {
    let dir = tempfile::tempdir().unwrap();
    let path = base_model(dir.path());
    let m = path.to_str().unwrap();
    let says = "the model has no chat template; give it one with --chat-template NAME|FILE (chatml, llama2";
    let run = akunu(&["run", m, "hello", "-n", "2"], b"");
    assert!(run.status.success() && stderr(&run).contains(says), "{}", stderr(&run));
    let chat = akunu(&["chat", m], b"hello\n");
    assert_eq!(chat.status.code(), Some(1));
    assert!(stderr(&chat).contains(says) && stderr(&chat).contains("--raw"), "{}", stderr(&chat));
    let raw = akunu(&["run", m, "hello", "-n", "2", "--raw"], b"");
    assert!(raw.status.success() && !stderr(&raw).contains("template"), "{}", stderr(&raw));
    let system = akunu(&["run", m, "hello", "--system", "x"], b"");
    assert!(system.status.code() == Some(2) && stderr(&system).contains(says), "{}", stderr(&system));

    let file = dir.path().join("mine.jinja");
    std::fs::write(&file, "{% for m in messages %}Q {{ m.content }} A{% endfor %}").unwrap();
    let prompt_tokens = |template: &str| {
        let o = akunu(&["run", m, "hello", "-n", "2", "--json", "--chat-template", template], b"");
        assert!(o.status.success() && o.stderr.is_empty(), "{template}: {}", stderr(&o));
        let v: serde_json::Value = serde_json::from_slice(&o.stdout).unwrap();
        v["prompt_tokens"].as_u64().unwrap()
    };
    // "hello" in pairs of letters, with what a template puts around it.
    let bare = "Q hello A".len() as u64 - 2;
    assert_eq!(prompt_tokens(file.to_str().unwrap()), bare);
    assert_eq!(prompt_tokens("{% for m in messages %}Q {{ m.content }} A{% endfor %}"), bare);
    for t in akunu::files::chat::NAMED {
        assert!(prompt_tokens(t.name) >= bare, "{}", t.name);
        let chat = akunu(&["chat", m, "-n", "2", "--chat-template", t.name], b"hello\nagain\n");
        assert!(chat.status.success(), "{}: {}", t.name, stderr(&chat));
    }
    let unknown = akunu(&["chat", m, "--chat-template", "chatmel"], b"");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("chatml") && stderr(&unknown).contains("no such file"));
    std::fs::write(&file, "{% if %}").unwrap();
    let broken = akunu(&["run", m, "hello", "--chat-template", file.to_str().unwrap()], b"");
    assert_eq!(broken.status.code(), Some(1));
    assert!(stderr(&broken).contains("the chat template is broken"), "{}", stderr(&broken));
}

/// What systemd, cron and containers give a program.
#[test]
fn a_local_model_needs_nothing_of_the_environment() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    let bare = |args: &[&str], vars: &[(&str, &str)]| {
        let mut c = command(args);
        c.env_clear().envs(vars.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = c.stderr(Stdio::piped()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(b"hello\n");
        child.wait_with_output().unwrap()
    };
    for args in
        [&["run", m, "hello", "-n", "2"][..], &["chat", m, "-n", "2"], &["inspect", m], &["tokenize", m]]
    {
        let o = bare(args, &[]);
        assert!(o.status.success(), "{args:?}: {}", stderr(&o));
        let o = bare(args, &[("HF_ENDPOINT", "nonsense")]);
        assert!(o.status.success(), "{args:?}: {}", stderr(&o));
    }
    for args in [&["list"][..], &["pull", "smollm2"], &["run", "hf:o/r", "hi"]] {
        let o = bare(args, &[]);
        assert_eq!(o.status.code(), Some(1), "{args:?}");
        assert!(stderr(&o).contains("set AKUNU_CACHE"), "{args:?}: {}", stderr(&o));
        assert_eq!(stderr(&o).lines().count(), 1, "{}", stderr(&o));
    }
}

#[test]
fn the_help_names_the_environment() {
    let long = String::from_utf8(akunu(&["--help"], b"").stdout).unwrap();
    for name in
        ["AKUNU_CACHE", "AKUNU_OFFLINE", "HF_TOKEN", "HF_HOME", "HF_ENDPOINT", "AKUNU_CPU", "AKUNU_CUDA"]
    {
        assert!(long.lines().any(|l| l.trim_start().starts_with(name)), "{name}: {long}");
    }
    let short = String::from_utf8(akunu(&["-h"], b"").stdout).unwrap();
    assert!(!short.contains("AKUNU_CACHE") && short.contains("143"), "{short}");
}

#[cfg(unix)]
mod signals {
    use super::*;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{LocalModes, tcgetattr};
    use std::cell::Cell;
    use std::fs::File;
    use std::io::Read;
    use std::process::Child;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    /// How long a test looks for what must come, every 10 ms.
    const LOOKS: u32 = 6000;

    fn signal(child: &Child, name: &str) {
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Whether this test was started with SIGHUP ignored: then the command handles no signal.
    fn ignored() -> bool {
        let survives = Command::new("sh").args(["-c", "kill -HUP $$; echo"]).output().unwrap();
        if !survives.stdout.is_empty() {
            println!("skipped: this test was started with SIGHUP ignored, so the command handles no signal");
        }
        !survives.stdout.is_empty()
    }

    fn until(what: &str, found: impl Fn() -> bool) {
        for _ in 0..LOOKS {
            if found() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{what} never came");
    }

    /// A pseudo-terminal, what appeared on it, and the end that a program uses.
    struct Screen {
        keys: File,
        text: Arc<Mutex<String>>,
        line: File,
        /// Prompts waited for.
        prompts: usize,
    }

    impl Screen {
        fn new() -> Self {
            let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
            grantpt(&keys).unwrap();
            unlockpt(&keys).unwrap();
            let name = ptsname(&keys, Vec::new()).unwrap().into_string().unwrap();
            let line = File::options().read(true).write(true).open(name).unwrap();
            let keys = File::from(keys);
            let (mut eye, text) = (keys.try_clone().unwrap(), Arc::new(Mutex::new(String::new())));
            let seen = Arc::clone(&text);
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(n @ 1..) = eye.read(&mut buffer) {
                    seen.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..n]));
                }
            });
            Self { keys, text, line, prompts: 0 }
        }

        fn start(&self, args: &[&str], home: &Path) -> Child {
            let end = || Stdio::from(self.line.try_clone().unwrap());
            let mut c = command(args);
            c.env("AKUNU_CACHE", home).env("TERM", "xterm").env("NO_COLOR", "1");
            c.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap()
        }

        /// Waits for the next prompt: an editor takes keys that come before it for the last line's.
        fn prompt(&mut self) {
            self.prompts += 1;
            // Each time the editor begins, it asks the terminal for bracketed paste.
            until("a prompt", || self.prompts_seen() >= self.prompts && self.is_raw());
        }

        fn prompts_seen(&self) -> usize {
            self.text.lock().unwrap().matches("\x1b[?2004h").count()
        }

        fn type_line(&mut self, line: &str) {
            self.prompt();
            self.keys.write_all(format!("{line}\r").as_bytes()).unwrap();
        }

        fn shows(&self, what: &str) {
            until(what, || self.text.lock().unwrap().contains(what));
        }

        /// Whether a line editor has the terminal.
        fn is_raw(&self) -> bool {
            !tcgetattr(&self.line).unwrap().local_modes.contains(LocalModes::ICANON)
        }
    }

    #[test]
    fn run_without_a_prompt_is_a_conversation_on_a_terminal() {
        let dir = tempfile::tempdir().unwrap();
        let path = model(dir.path());
        let home = dir.path().join("home");
        let mut screen = Screen::new();
        let mut child = screen.start(&["run", path.to_str().unwrap(), "-n", "3", "--seed", "5"], &home);
        screen.shows("/help lists commands");
        // A turn that fails is told, and the person goes on.
        screen.type_line("/fly");
        screen.shows("no command /fly");
        screen.type_line("hello there");
        screen.type_line("/stats");
        screen.shows("3 generated");
        screen.type_line("/bye");
        assert!(child.wait().unwrap().success());
        screen.shows("seed 5");
        let history = std::fs::read_to_string(home.join("chat_history")).unwrap();
        assert!(history.contains("hello there\n"), "{history}");
    }

    #[test]
    fn signals_at_the_prompt_end_a_conversation_and_give_the_terminal_back() {
        if ignored() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = model(dir.path());
        for (name, code) in [("-TERM", 143), ("-HUP", 129)] {
            let mut screen = Screen::new();
            let before = tcgetattr(&screen.line).unwrap().local_modes;
            let mut child = screen.start(&["chat", path.to_str().unwrap()], dir.path());
            screen.prompt();
            signal(&child, name);
            assert_eq!(child.wait().unwrap().code(), Some(code), "{name}");
            assert_eq!(tcgetattr(&screen.line).unwrap().local_modes, before, "{name}");
            screen.shows("\x1b[?2004l");
        }
        // Ctrl-C, which a line editor reads as a key: the first drops the line, the second leaves.
        let mut screen = Screen::new();
        let mut child = screen.start(&["chat", path.to_str().unwrap()], dir.path());
        screen.prompt();
        screen.keys.write_all(b"half a line\x03").unwrap();
        screen.shows("Ctrl-C again leaves");
        screen.prompt();
        screen.keys.write_all(b"\x03").unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }

    /// Ctrl-C stops an answer and the conversation goes on; SIGTERM ends it in the middle of an answer.
    #[test]
    fn signals_in_an_answer() {
        if ignored() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = model(dir.path());
        let mut screen = Screen::new();
        let args = ["chat", path.to_str().unwrap(), "--seed", "1", "--ctx", "100000"];
        let mut child = screen.start(&args, dir.path());
        screen.type_line("hello");
        until("an answer", || !screen.is_raw());
        signal(&child, "-INT");
        screen.type_line("/stats");
        screen.shows("cancelled");
        // The answers of a random model may end before anybody looks.
        let caught = (0..50).any(|_| {
            screen.type_line("hello again");
            let (mark, runs) = (screen.text.lock().unwrap().len(), Cell::new(false));
            until("an answer", || {
                runs.set(!screen.is_raw() && screen.text.lock().unwrap().len() > mark + 100);
                runs.get() || screen.prompts_seen() > screen.prompts
            });
            runs.get()
        });
        assert!(caught, "no answer was long enough");
        signal(&child, "-TERM");
        assert_eq!(child.wait().unwrap().code(), Some(143));
    }

    /// Where nobody could ask for a next answer, the signal ends the conversation.
    #[test]
    fn signals_end_a_piped_conversation() {
        if ignored() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = model(dir.path());
        for (name, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
            let mut child = command(&["chat", path.to_str().unwrap(), "--seed", "1", "--ctx", "100000"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            child.stdin.as_mut().unwrap().write_all(b"hello\nhello\n").unwrap();
            // The first byte of the answer shows that generation runs.
            child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
            signal(&child, name);
            assert_eq!(child.wait_with_output().unwrap().status.code(), Some(code), "{name}");
        }
    }
}
