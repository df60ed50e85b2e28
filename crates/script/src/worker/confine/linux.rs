//! What Linux offers: Landlock against files and network, seccomp against all other system calls.

use crate::wire::{self, Confined};
use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus, Scope};
use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;

/// Puts files, sockets and other processes out of reach of this thread and of all that it starts.
pub fn give_up_files(confined: &mut Confined) {
    match nix::sys::prctl::set_no_new_privs() {
        Ok(()) => confined.no_new_privs = true,
        Err(e) => confined.missing.push(format!("no new privileges: {e}")),
    }
    let newest = ABI::V6;
    let ruled = Ruleset::default()
        .handle_access(AccessFs::from_all(newest))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(newest)))
        .and_then(|rules| rules.scope(Scope::from_all(newest)))
        .and_then(Ruleset::create)
        // No rule: nothing is allowed.
        .and_then(landlock::RulesetCreated::restrict_self);
    confined.landlock = match ruled.map(|status| status.ruleset) {
        Ok(RulesetStatus::FullyEnforced) => wire::Landlock::Full,
        Ok(RulesetStatus::PartiallyEnforced) => {
            confined.missing.push("landlock: the kernel knows only a part of it".to_owned());
            wire::Landlock::Partial
        }
        Ok(RulesetStatus::NotEnforced) => {
            confined.missing.push("landlock: the kernel has none".to_owned());
            wire::Landlock::None
        }
        Err(e) => {
            confined.missing.push(format!("landlock: {e}"));
            wire::Landlock::None
        }
    };
}

/// The size of the address space in bytes, from the open `/proc/self/statm`.
pub fn address_space(mut statm: File) -> Option<u64> {
    let mut text = String::new();
    statm.read_to_string(&mut text).ok()?;
    let pages: u64 = text.split_whitespace().next()?.parse().ok()?;
    let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok().flatten()?;
    Some(pages.saturating_mul(u64::try_from(page).ok()?))
}

/// System calls that the engine, the allocator and the two threads need to go on; all others fail.
const ALLOWED: &[libc::c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_futex,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_sched_yield,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigprocmask,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Limits the system calls of all threads.
pub fn limit_calls(confined: &mut Confined) {
    match filter()
        .and_then(|filter| seccompiler::apply_filter_all_threads(&filter).map_err(|e| e.to_string()))
    {
        Ok(()) => confined.seccomp = true,
        Err(e) => confined.missing.push(format!("seccomp: {e}")),
    }
}

fn filter() -> Result<BpfProgram, String> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    let only = |argument: u8, how: SeccompCmpOp, value: u64| -> Result<Vec<SeccompRule>, String> {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value);
        let rule =
            condition.and_then(|condition| SeccompRule::new(vec![condition])).map_err(|e| e.to_string())?;
        Ok(vec![rule])
    };
    // Memory, but none that can be executed.
    let executable = u64::from(libc::PROT_EXEC.unsigned_abs());
    for call in [libc::SYS_mmap, libc::SYS_mprotect] {
        rules.insert(call, only(2, SeccompCmpOp::MaskedEq(executable), 0)?);
    }
    // Signals to itself: how a process aborts.
    rules.insert(libc::SYS_tgkill, only(0, SeccompCmpOp::Eq, u64::from(std::process::id()))?);
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into().map_err(|e: seccompiler::BackendError| e.to_string())?;
    let filter = SeccompFilter::new(rules, refused, SeccompAction::Allow, arch).map_err(|e| e.to_string())?;
    filter.try_into().map_err(|e: seccompiler::BackendError| e.to_string())
}
