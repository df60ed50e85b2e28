//! Project chores: `cargo xtask gen|tidy|checklist|performance`.

use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::ExitCode;
use xtask::{checklist, generate, performance, repo::Repo, tidy};

const USAGE: &str = "\
cargo xtask gen [--check]        write what is made from the tool table, or say what differs
cargo xtask tidy                 check the project's rules
cargo xtask checklist [--ran F]  claimed behaviours and their tests; with F (JUnit XML, or the output
                                 of cargo test) every one of these tests must have run and passed
cargo xtask performance F        write docs/performance.md from the results of the side-by-side bench";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs one chore; false when it found something wrong.
fn run(arguments: &[String]) -> Result<bool> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let repo = Repo::here()?;
    match words.as_slice() {
        ["gen"] => generate::write(&repo),
        ["gen", "--check"] => generate::check(&repo),
        ["tidy"] => tidy::print_all(&repo),
        ["checklist"] => checklist::print(&repo, None),
        ["checklist", "--ran", file] => checklist::print(&repo, Some(&PathBuf::from(file))),
        ["performance", file] => {
            let page = performance::page(&PathBuf::from(file))?;
            std::fs::write(repo.root.join("docs/performance.md"), page)
                .context("can't write docs/performance.md")?;
            Ok(true)
        }
        _ => bail!("no such chore\n{USAGE}"),
    }
}
