//! Every command in the README does what the README says of it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The lines of the README's shell blocks, in their order.
fn commands() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut commands = Vec::new();
    let mut in_shell = false;
    for line in text.lines().map(str::trim) {
        match line {
            "```sh" => in_shell = true,
            "```" => in_shell = false,
            line if in_shell => commands.push(line.to_owned()),
            _ => {}
        }
    }
    commands
}

/// Runs a command and returns whether it succeeded, with what it printed.
fn run(dir: &Path, program: &str, args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(program)
        .current_dir(dir)
        .args(args)
        .env("CARGO_NET_OFFLINE", "true")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

/// What is built for release is built once more for nothing; the same commands prove themselves on the debug build.
#[test]
fn every_command_of_the_readme_runs() {
    let releve = env!("CARGO_BIN_EXE_releve");
    let root = root();
    let dir = TempDir::new().unwrap();
    let mut here = dir.path().to_owned();
    for command in commands() {
        let words: Vec<&str> = command.split_whitespace().collect();
        let (code, text) = match words.as_slice() {
            ["cargo", "fetch", "--locked"] => run(&root, "cargo", &["fetch", "--locked"]),
            ["cargo", "build", "--release", "--locked"] => run(&root, "cargo", &["build", "--locked"]),
            ["cargo", "run", "--release", "--", args @ ..] => run(dir.path(), releve, args),
            // The tests are running; that they are found by this command is what is left to see.
            ["cargo", "test", "--workspace", "--locked"] => {
                run(&root, "cargo", &["test", "--workspace", "--locked", "--", "--list"])
            }
            ["cargo", "install", "--path", "bins/releve", "--locked"] => {
                let to = dir.path().join("installed");
                let args = ["install", "--path", "bins/releve", "--locked", "--debug", "--root"];
                let target = Path::new(releve).ancestors().nth(2).unwrap().to_str().unwrap();
                let rest = [to.to_str().unwrap(), "--target-dir", target];
                run(&root, "cargo", &[args.as_slice(), &rest].concat())
            }
            ["cd", folder] => {
                here.push(folder);
                assert!(here.is_dir(), "{}", here.display());
                continue;
            }
            ["releve", args @ ..] => run(&here, releve, args),
            _ => panic!("the README has a command that this test does not know: {command}"),
        };
        assert_eq!(code, Some(0), "{command}\n{text}");
    }
    assert!(dir.path().join("installed/bin/releve").is_file());
    assert!(dir.path().join("releve-demo/vault/vault.json").is_file());
}

/// The tables name every command, and no other.
#[test]
fn the_readme_names_every_command() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let (code, help) = run(&root(), env!("CARGO_BIN_EXE_releve"), &["--help"]);
    assert_eq!(code, Some(0));
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let names: Vec<&str> = commands
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        let told = text.contains(&format!("releve {name}")) || text.contains(&format!("-- {name}"));
        assert!(told, "the README does not tell what `releve {name}` does");
    }
}
