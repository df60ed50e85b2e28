//! The demo: a real order in the bundled shop, through the real binary over MCP, with a report of the evidence.
//!
//! It plays an MCP client that reads, acts and believes only what was measured. It ends well only when
//! every action came out as it must, and that includes two actions that must be reported as failures.

mod report;
mod steps;

use report::Report;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use steps::{Played, STEPS};
use truehand_testkit::{McpClient, shop};

const USAGE: &str = "demo [BINARY] [REPORT]: orders in the demo shop with BINARY and writes REPORT";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("demo: {error}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let binary = match arguments.next() {
        Some(path) => path,
        None => built_binary()?,
    };
    let report_path = arguments.next().unwrap_or_else(|| PathBuf::from("demo-report.html"));
    let port = serve_shop()?;
    let address = format!("http://127.0.0.1:{port}/shop/");
    println!("The shop is at {address}, Truehand is {}\n", binary.display());

    let mut client = McpClient::spawn(&binary, &["mcp"], &[]);
    let server = client.initialize("2025-06-18")["serverInfo"].clone();
    let mut report =
        Report::new(&address, &format!("{} {}", word(&server["name"]), word(&server["version"])));
    let mut reading = String::new();
    for (number, step) in (1..).zip(STEPS) {
        let played = Played::play(step, &mut client, &address, &mut reading);
        let mark = if played.problem.is_none() { "ok" } else { "!!" };
        println!("{mark} {number:>2}  {}\n       {}", step.what, played.verdict);
        if let Some(problem) = &played.problem {
            println!("       NOT AS EXPECTED: {problem}");
        }
        report.add(step, &played);
    }
    client.close_stdin();
    client.wait_exit();

    std::fs::write(&report_path, report.html())?;
    let shown = report_path.canonicalize()?;
    println!("\n{}", report.summary());
    println!("The report with every step, its measured effect and a picture: {}", shown.display());
    Ok(report.all_as_expected())
}

/// The binary that was built into the same target folder as this program.
fn built_binary() -> Result<PathBuf, Box<dyn Error>> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent).ok_or("this program lies in no target folder")?;
    let binary = folder.join(format!("truehand{}", std::env::consts::EXE_SUFFIX));
    if binary.is_file() { Ok(binary) } else { Err(format!("{} is not built", binary.display()).into()) }
}

/// Serves the shop in the background; gives its port.
fn serve_shop() -> Result<u16, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let failed = sender.clone();
        let ready = move |port| drop(sender.send(Ok(port)));
        if let Err(error) = runtime.block_on(shop::serve(0, ready)) {
            // Nobody listens any more once the port is known; then the steps say what they miss.
            drop(failed.send(Err(error)));
        }
    });
    Ok(receiver.recv()??)
}

fn word(value: &serde_json::Value) -> &str {
    value.as_str().unwrap_or_default()
}
