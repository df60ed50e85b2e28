//! Whether an MCP server was killed: its client saw the stream end, with no error to show.

use super::Finding;
use crate::setup::Setup;
use truehand_server::mcp::Presence;

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let (running, killed) = Presence::seen(&setup.run);
    let list = |pids: &[u32]| pids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let mut findings = Vec::new();
    if !killed.is_empty() {
        let message =
            format!("an MCP server was killed, process {}; its client saw the stream end", list(&killed));
        let finding = Finding::note("mcp", message).coded("TRANSPORT_EOF");
        findings.push(finding.next("restart the server in the MCP client; the daemon is not to blame"));
    }
    let message = if running.is_empty() {
        "no MCP server runs".to_owned()
    } else {
        format!("MCP servers run: {}", list(&running))
    };
    findings.push(Finding::ok("mcp", message));
    findings
}
