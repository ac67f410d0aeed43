//! Command lines: what they mean, and what the wrong ones are told.

use super::*;
use crate::habits::{FOREIGN, Fine, ONE_DASH};
use crate::spelling::find;

fn words(line: &str) -> Vec<OsString> {
    std::iter::once("akunu").chain(line.split(' ')).map(OsString::from).collect()
}

fn given(line: &[&str]) -> Cli {
    let all = std::iter::once("akunu").chain(line.iter().copied()).map(OsString::from).collect();
    parse(all).unwrap_or_else(|e| unreachable!("{line:?}: {e:?}"))
}

/// All that was understood.
fn meaning(line: &str) -> String {
    match parse(words(line)) {
        Ok(cli) => format!("{cli:?} {:?}", cli.command.machine()),
        Err(Refusal::Parser(e)) => unreachable!("{line}: {e}"),
        Err(Refusal::Usage(e)) => unreachable!("{line}: {e}"),
    }
}

/// What a wrong line is told.
fn refusal(line: &str) -> String {
    match parse(words(line)) {
        Ok(cli) => unreachable!("{line} means {cli:?}"),
        Err(Refusal::Parser(e)) => e.to_string(),
        Err(Refusal::Usage(e)) => {
            assert_eq!(e.code(), 2, "{line}");
            e.to_string()
        }
    }
}

#[test]
fn lines_from_other_programs_mean_what_ours_mean() {
    let same: &[(&str, &str)] = &[
        // The model and the prompt.
        ("run -m m.gguf -p hi", "run m.gguf hi"),
        ("run --model m.gguf --prompt hi", "run m.gguf hi"),
        ("run -m m.gguf hi", "run m.gguf hi"),
        ("run hi -m m.gguf", "run m.gguf hi"),
        ("run m.gguf -p hi", "run m.gguf hi"),
        ("run -p hi m.gguf", "run m.gguf hi"),
        ("run -mm.gguf -phi", "run m.gguf hi"),
        ("run --model=m.gguf --prompt=hi", "run m.gguf hi"),
        ("run -hf o/r:Q8_0 hi", "run hf:o/r:Q8_0 hi"),
        ("run -hf hf:o/r hi", "run hf:o/r hi"),
        ("run --hf-repo o/r hi", "run hf:o/r hi"),
        ("chat -m m.gguf", "chat m.gguf"),
        ("inspect -m m.gguf", "inspect m.gguf"),
        ("show m.gguf", "inspect m.gguf"),
        ("inspect m -np 8", "inspect m --sequences 8"),
        ("inspect m --streams AUTO", "inspect m --sequences auto"),
        ("tokenize -m m.gguf -p hi", "tokenize m.gguf hi"),
        ("perplexity -m m.gguf -f t.txt -c 512", "perplexity m.gguf --file t.txt --ctx 512"),
        ("ls", "list"),
        ("remove a -y", "rm a --yes"),
        ("rm a --force", "rm a --yes"),
        ("download smollm2", "pull smollm2"),
        // Lengths, samplers, prompts.
        ("run m x -c 4096", "run m x --ctx 4096"),
        ("run m x --ctx-size 4096", "run m x --ctx 4096"),
        ("run m x -c4096", "run m x --ctx 4096"),
        ("run m x -c 0", "run m x --ctx 0"),
        ("run m x -s 7", "run m x --seed 7"),
        ("run m x --temperature 0", "run m x --temp 0"),
        ("run m x -sys S", "run m x --system S"),
        ("run m x --system-prompt S", "run m x --system S"),
        ("chat m -sys S", "chat m --system S"),
        ("run m x --n-predict 5", "run m x -n 5"),
        ("run m x --predict 5", "run m x -n 5"),
        ("run m x -n5", "run m x --max-tokens 5"),
        ("run m x -n -2", "run m x -n -1"),
        ("run m x -r END", "run m x --stop END"),
        ("run m x -ctk q8_0 -ctv=bf16", "run m x --cache-type-k q8_0 --cache-type-v bf16"),
        // Devices.
        ("run m x -ngl 12", "run m x --n-gpu-layers 12"),
        ("run m x -ngl 12", "run m x --gpu-layers=12"),
        ("run m x -dev CUDA0", "run m x --device cuda"),
        ("run m x -dev CUDA1", "run m x --device cuda:1"),
        ("bench m -dev cuda1", "bench m --device cuda:1"),
        ("bench m -dev Vulkan1", "bench m --device vulkan:1"),
        ("run m x -nr", "run m x --no-repack"),
        // What happens anyway.
        ("run m x -fa", "run m x"),
        ("run m -fa on x", "run m x"),
        ("run m -fa x", "run m x"),
        ("run m x --flash-attn=auto", "run m x"),
        ("run m x --no-mmap", "run m x"),
        ("run m x --mmap 0", "run m x"),
        ("run m x --dynatemp_range 0", "run m x"),
        ("run m x -mg 0 -sm none", "run m x"),
        ("run m x --no-display-prompt --color --jinja --log-disable --no-warmup", "run m x"),
        // Before the command.
        ("--device cpu run m x", "run m x --device cpu"),
        ("-t 2 --ctx 64 run m x", "run m x -t 2 --ctx 64"),
        ("-ngl 0 -ctk q8_0 run m x", "run m x -ngl 0 -ctk q8_0"),
        ("-fa --json run m x", "run m x --json"),
        ("--json -q list", "list --quiet --json"),
        // Bench.
        ("bench -m a -m b", "bench a b"),
        ("bench a -m b", "bench a b"),
        ("bench -hf o/r", "bench hf:o/r"),
        ("bench a -t 1 -t 2", "bench a --threads 1,2"),
        ("bench a --n-prompt 8 --n-gen 4 --n-depth 2", "bench a -p 8 -n 4 -d 2"),
        ("bench a -pg 512,128", "bench a --prompt-generate 512,128"),
        ("bench a -npp 8 -ntg 4 -npl 1,2", "bench a -p 8 -n 4 --streams 1,2"),
        ("run m --batch f -np 4", "run m --batch f --sequences 4"),
        ("run m --batch f --parallel 4", "run m --batch f --sequences 4"),
        ("bench a -ngl 99 -mmp 0 -fa 1", "bench a --gpu-layers all"),
    ];
    for (theirs, ours) in same {
        assert_eq!(meaning(theirs), meaning(ours), "{theirs}");
    }
    // So that the comparison means something.
    assert_ne!(meaning("run m x -n 5"), meaning("run m x -n 6"));
    assert_ne!(meaning("run m x -c 5"), meaning("run m x"));
}

#[test]
fn values_and_text_are_left_alone() {
    let run = |line: &[&str]| match given(line).command {
        Command::Run(r) => r,
        other => unreachable!("{other:?}"),
    };
    assert_eq!(run(&["run", "m", "-p", "-sys"]).prompt.as_deref(), Some("-sys"));
    assert_eq!(run(&["run", "m", "-p", "-ctk", "-n", "3"]).prompt.as_deref(), Some("-ctk"));
    assert_eq!(run(&["run", "m", "-p", "--lora"]).prompt.as_deref(), Some("--lora"));
    assert_eq!(run(&["run", "m", "--", "-sys", "--lora", "x"]).prompt.as_deref(), Some("-sys --lora x"));
    assert_eq!(run(&["run", "m", "--system", "-fa", "hi"]).system.as_deref(), Some("-fa"));
    assert_eq!(run(&["run", "m", "--stop", "--", "hi"]).stop, ["--"]);
    assert_eq!(run(&["run", "m", "why", "is", "it"]).prompt.as_deref(), Some("why is it"));
    assert_eq!(run(&["run", "-m", "m", "why", "is", "it"]).prompt.as_deref(), Some("why is it"));
    assert_eq!(run(&["run", "m", "list"]).prompt.as_deref(), Some("list"));
    let all = run(&["run", "m", "x", "-n", "-1", "-s", "-1"]);
    assert_eq!((all.max_tokens, all.sampling.seed), (Some(u32::MAX), Some(Seed::Random)));
    let machine = |line: &[&str]| given(line).command.machine().unwrap_or_else(|e| unreachable!("{e}"));
    assert_eq!(machine(&["run", "m", "-c", "0"]).ctx, None);
    assert_eq!(machine(&["run", "m", "-ngl", "99"]).device, Device::Cuda(0));
    assert_eq!(machine(&["run", "m", "-ngl", "-1"]).device, Device::Cuda(0));
    assert_eq!(machine(&["run", "m", "-ngl", "0"]).device, Device::Cpu);
    match given(&["bench", "a", "-pg", "512,128", "-pg", "8,4", "-t", "1,2"]).command {
        Command::Bench(b) => {
            let pairs: Vec<(u32, u32)> = b.prompt_generate.iter().map(|p| (p.prompt, p.generate)).collect();
            assert_eq!((pairs, b.threads), (vec![(512, 128), (8, 4)], vec![1, 2]));
        }
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn wrong_lines_are_told_what_was_meant() {
    let wrong: &[(&str, &[&str])] = &[
        // Slips.
        ("run m x --tmep 0", &["`akunu run`", "'--tmep'", "did you mean '--temp'?"]),
        ("run m x --temprature 0", &["did you mean '--temperature'?"]),
        ("run m x --ctx_size 5", &["did you mean '--ctx-size'?"]),
        ("run m x --max-token 5", &["did you mean '--max-tokens'?"]),
        ("run m x -nlg 99", &["'-nlg'", "did you mean '-ngl'?"]),
        ("run m x -prompt y", &["'-prompt'", "did you mean '--prompt'?"]),
        ("run -model m x", &["did you mean '--model'?"]),
        ("run m x -ctx 5", &["did you mean '--ctx'?"]),
        ("run m x -temp 5", &["did you mean '--temp'?"]),
        ("run m x -N 5", &["did you mean '-n'?"]),
        ("run m x --sed 5", &["did you mean '--seed'?"]),
        ("bench m --repetition 5", &["did you mean '--repetitions'?"]),
        ("--devcie cpu run m x", &["did you mean '--device'?"]),
        // Another command's.
        ("list --ctx 5", &["`akunu list`", "'--ctx'", "`run`", "and others"]),
        ("--ctx 5 list", &["`akunu list`", "'--ctx'", "`run`"]),
        ("pull smollm2 -t 2", &["`akunu pull`", "'-t'"]),
        ("run m x -pg 1,2", &["'-pg'", "belongs to `bench`"]),
        ("chat m --tensors", &["belongs to `inspect`"]),
        ("completions bash --no-repack", &["'--no-repack'"]),
        // Nothing like it.
        ("run m x --frobnicate", &["'--frobnicate'", "`akunu run --help`", "-p"]),
        ("run m -1", &["'-1'", "-p"]),
        ("list -x", &["'-x'", "`akunu list --help`"]),
        // Not there, with a reason.
        ("run m x --dynatemp-exp 2", &["--dynatemp-exp", "not there yet", "--samplers"]),
        ("chat m --dynatemp-range 0.8", &["--samplers"]),
        ("run m x --lora a.gguf", &["--lora", "merge it"]),
        ("run m x --mmproj a.gguf", &["--mmproj", "text only"]),
        ("bench m --mlock", &["--mlock", "not locked"]),
        ("run m x -fa off", &["-fa", "no other kind"]),
        ("run m x --no-mmap --no-repack", &["--no-mmap", "--no-repack"]),
        ("run m x --mmap", &["--no-repack"]),
        ("run m -cnv", &["akunu chat"]),
        ("run m x -ub 512", &["-ub", "leave it out"]),
        ("bench m -ts 1,1", &["as a whole"]),
        // Twice, or against each other.
        ("chat a -m b", &["two", "'b'", "'a'"]),
        ("run m x -p y", &["twice", "'x'", "'y'"]),
        ("run m x -f y", &["twice", "-f"]),
        ("run m x --batch f", &["--batch", "'x'"]),
        ("run m --batch f -f g", &["--batch", "-f"]),
        ("run m --batch f --overflow later", &["--overflow", "'later'"]),
        ("run m x -np 4", &["--batch"]),
        ("bench m --streams 0", &["--streams", "1..=1024"]),
        ("bench m --streams 1 -pg 1,2", &["--streams", "--prompt-generate"]),
        ("bench m --deterministic", &["--streams"]),
        ("run -m a -hf b x", &["--hf-repo"]),
        ("inspect m --synthetic s", &["--synthetic"]),
        ("inspect -m m --synthetic s", &["--synthetic"]),
        ("inspect m --sequences 0", &["--sequences", "1024", "auto"]),
        ("inspect m --sequences 1025", &["--sequences", "1024"]),
        // Nothing to run.
        ("run", &["which model", "akunu list"]),
        ("bench -p 5", &["which model"]),
        ("inspect", &["which model"]),
        ("rm", &["MODEL"]),
        // Values.
        ("run m x -n 0", &["--max-tokens", "-1"]),
        ("run m x -n -3", &["-3", "--max-tokens"]),
        ("run m x --temp -1", &["-1", "greedy"]),
        ("run m x -s -5", &["-5", "--seed"]),
        ("run m x -s 1.5", &["1.5"]),
        ("run m x -t -4", &["-4", "--threads"]),
        ("run m x --device cuda:", &["cuda:", "--device", "number", "akunu doctor"]),
        ("doctor --device cuda:-1", &["cuda:-1", "akunu doctor"]),
        ("bench m --device cuda:99999999999", &["cuda:99999999999", "number"]),
        ("run m x --device vulkan:x", &["vulkan:", "number", "akunu doctor"]),
        ("run m x --device metal:x", &["metal:", "number", "akunu doctor"]),
        ("run m x --device cpu:1", &["cpu:1", "--threads"]),
        ("run m x --device cudda", &["cudda", "auto, cpu, cuda, vulkan, metal, null", "cuda:N"]),
        ("run m x -mg 1", &["-mg", "--device cuda:N"]),
        ("run m x -ngl half", &["half", "--gpu-layers"]),
        ("run m x -ctk q4_1", &["--cache-type-k", "q8_0"]),
        ("convert a b --dtype q9", &["q9", "q4_k_m"]),
        ("bench m -pg 512", &["512,128"]),
        ("bench m -pg 0,5", &["above 0"]),
        ("run m x --ctx", &["--ctx"]),
        ("run m x -ctk", &["--cache-type-k"]),
        // Commands.
        ("rnu m x", &["'rnu'", "did you mean 'run'?"]),
        ("fly", &["'fly'", "akunu --help"]),
        ("server", &["akunu serve"]),
        ("smollm2 hi", &["akunu run smollm2"]),
        ("nowhere.gguf", &["akunu run nowhere.gguf"]),
        ("-m m.gguf -p hi", &["no command", "akunu run -m"]),
    ];
    for (line, all) in wrong {
        let text = refusal(line);
        for w in *all {
            assert!(text.contains(w), "`akunu {line}` should say {w:?}: {text}");
        }
        assert!(!text.contains("'-- -") && !text.contains("use '--"), "{line}: {text}");
    }
}

#[test]
fn contradictions_about_the_device_are_told() {
    for line in [
        "run m x -ngl 0 --device cuda",
        "run m x --device cpu -ngl 99",
        "run m x -ngl 0 --device vulkan",
        "run m x -ngl 0 --device metal",
    ] {
        let cli = given(&line.split(' ').collect::<Vec<_>>());
        let e = cli.command.machine().expect_err(line).to_string();
        assert!(e.contains("-ngl") && e.contains("--device"), "{e}");
    }
}

#[test]
fn every_habit_is_of_use() {
    let grammar = Grammar::of(command());
    let all: Vec<&clap::Command> = grammar.root().get_subcommands().collect();
    for (short, long) in ONE_DASH {
        assert!(short.len() > 2 && !short.starts_with("--"), "{short}");
        assert!(all.iter().any(|c| find(c, long).is_some()), "{long} is no option of any command");
    }
    let mut seen = std::collections::BTreeSet::new();
    for f in FOREIGN {
        assert!(!f.why.is_empty() && !f.names.is_empty(), "{f:?}");
        for name in f.names {
            assert!(name.starts_with('-') && seen.insert(*name), "{name} stands twice");
            assert!(ONE_DASH.iter().all(|(short, _)| short != name), "{name} is a spelling of ours");
            // What a command has itself is never refused.
            let concerned = |c: &clap::Command| f.commands.is_empty() || f.commands.contains(&c.get_name());
            for c in all.iter().filter(|c| name.starts_with("--") && concerned(c)) {
                assert!(find(c, name).is_none(), "`{}` has {name}", c.get_name());
            }
        }
        for c in f.commands {
            assert!(all.iter().any(|a| a.get_name() == *c), "{c}");
        }
        if let Fine::Without(other) = f.fine {
            assert!(all.iter().any(|c| find(c, other).is_some()), "{other}");
        }
    }
}

/// Words before the command are read without knowing it, so a spelling takes a value in all commands or in none.
#[test]
fn a_spelling_takes_a_value_everywhere_or_nowhere() {
    let grammar = Grammar::of(command());
    let mut takes = std::collections::BTreeMap::new();
    for c in grammar.root().get_subcommands() {
        for arg in c.get_arguments().filter(|a| !a.is_positional()) {
            let value = arg.get_action().takes_values();
            let spellings = arg.get_long().map(|l| format!("--{l}")).into_iter();
            for s in spellings.chain(arg.get_short().map(|s| format!("-{s}"))) {
                assert_eq!(*takes.entry(s.clone()).or_insert(value), value, "{s} of {}", c.get_name());
            }
        }
    }
}

#[test]
fn help_shows_what_concerns_a_command_in_lines_that_fit() {
    let mut all = command();
    all.build();
    for c in all.get_subcommands() {
        let grouped = GROUPS.iter().flat_map(|g| g.1).filter(|n| **n == c.get_name()).count();
        assert_eq!(grouped, 1, "{} stands in {grouped} groups", c.get_name());
    }
    let help = |name: &str| {
        let mut all = command().term_width(80);
        all.build();
        let c = if name.is_empty() {
            &mut all
        } else {
            all.find_subcommand_mut(name).unwrap_or_else(|| unreachable!("{name}"))
        };
        c.render_long_help().to_string()
    };
    for name in std::iter::once("").chain(GROUPS.iter().flat_map(|g| g.1.iter().copied())) {
        if name == "help" || (name == "compile" && !cfg!(feature = "cuda")) {
            continue;
        }
        let text = help(name);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
        if !name.is_empty() {
            assert!(
                text.contains("--json") && text.contains("--quiet") && text.contains("Usage:"),
                "{name}: {text}"
            );
        }
    }
    assert!(
        help("").contains("Hugging Face") && help("").contains("MLX") && help("run").contains("Hugging Face")
    );
    for small in ["list", "pull", "rm", "completions", "tokenize"] {
        for option in ["--ctx", "--device", "--threads", "--no-repack", "--cache-type-k"] {
            assert!(!help(small).contains(option), "{small} {option}");
        }
    }
    assert!(!help("convert").contains("--ctx") && help("convert").contains("--threads"));
    assert!(!help("doctor").contains("--ctx") && help("doctor").contains("--device"));
}
