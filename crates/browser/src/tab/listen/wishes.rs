//! What those who listen want of every session of a tab: scripts in new documents, functions that pages can call, requests
//! and file choosers held, workers told of. Each session is brought to what is wanted, when it comes and when that changes.

use super::bindings;
use crate::feed::{Pattern, kind};
use crate::tab::{TabInner, auto_attach, lock};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex};
use truehand_cdp::{self as cdp, Session, SessionId};

/// What is in force in the sessions of a tab.
#[derive(Default)]
pub(super) struct Wishes {
    /// Workers that were told of, by their sessions.
    pub workers: HashSet<String>,
    sessions: HashMap<Option<SessionId>, InForce>,
}

/// What is in force in one session.
#[derive(Debug, Clone, Default)]
struct InForce {
    choosers: bool,
    workers: bool,
    console: bool,
    routes: Vec<Pattern>,
    /// Scripts with the browser's names for them, which come a little later.
    scripts: BTreeMap<u64, Option<String>>,
    bindings: BTreeSet<String>,
}

/// What is wanted of each.
struct Wanted {
    bits: u32,
    routes: Vec<Pattern>,
    scripts: BTreeMap<u64, Arc<str>>,
    bindings: BTreeSet<String>,
}

impl TabInner {
    fn wanted(&self) -> Wanted {
        let mut wanted =
            Wanted { bits: 0, routes: Vec::new(), scripts: BTreeMap::new(), bindings: BTreeSet::new() };
        for (feed, own) in self.listening.hub.of(&|client| self.is_of(client)) {
            wanted.bits |= feed.bits(self.id, own);
            wanted.routes.extend(feed.routes(self.id, own));
            wanted.scripts.extend(feed.scripts(self.id, own));
            wanted.bindings.extend(feed.bindings(self.id, own));
        }
        wanted
    }

    /// Whether file choosers are to be told of and not shown.
    pub(crate) fn wants_choosers(&self) -> bool {
        self.heard() & kind::CHOOSER != 0
    }

    /// Brings a session that has just come to what is wanted.
    pub(crate) fn ready(&self, session: &Session) {
        if self.listening.hub.any() != 0 {
            self.bring(session, &self.wanted());
        }
    }

    /// Brings all sessions to what is wanted now.
    pub(crate) fn renew(&self) {
        let wanted = self.wanted();
        let mut sessions: Vec<Session> = vec![self.session.clone()];
        self.with(|s| {
            for frame in s.frames.values() {
                if !sessions.iter().any(|known| known.id() == frame.session.id()) {
                    sessions.push(frame.session.clone());
                }
            }
        });
        for session in &sessions {
            self.bring(session, &wanted);
        }
        if wanted.routes.is_empty() {
            self.forget_held();
        }
    }

    /// A session is over.
    pub(in crate::tab) fn forget_session(&self, id: &SessionId) {
        lock(&self.listening.wishes).sessions.remove(&Some(id.clone()));
    }

    fn bring(&self, session: &Session, wanted: &Wanted) {
        let mut wishes = lock(&self.listening.wishes);
        let now = wishes.sessions.entry(session.id().cloned()).or_default();
        let before = now.clone();
        now.choosers = wanted.bits & kind::CHOOSER != 0;
        now.workers = wanted.bits & kind::WORKER != 0;
        now.console = wanted.bits & kind::CONSOLE != 0;
        now.routes.clone_from(&wanted.routes);
        now.bindings.clone_from(&wanted.bindings);
        now.scripts.retain(|id, _| wanted.scripts.contains_key(id));
        for id in wanted.scripts.keys() {
            now.scripts.entry(*id).or_default();
        }
        let (choosers, workers, console) = (now.choosers, now.workers, now.console);
        drop(wishes);
        if choosers != before.choosers {
            drop(session.start(cdp::page::SetInterceptFileChooserDialog { enabled: choosers }));
        }
        if workers != before.workers {
            drop(session.start(auto_attach(workers)));
        }
        // What is beneath the tab's own session goes the same way.
        if console != before.console
            && let Some(id) = session.id().filter(|_| session.id() == self.session.id())
        {
            self.connection.pass_console(id, console);
        }
        self.bring_bindings(session, &before.bindings, &wanted.bindings);
        self.bring_scripts(session, &before.scripts, &wanted.scripts);
        if wanted.routes != before.routes {
            bring_routes(session, &wanted.routes);
        }
    }

    fn bring_bindings(&self, session: &Session, before: &BTreeSet<String>, wanted: &BTreeSet<String>) {
        for name in before.difference(wanted) {
            drop(session.start(cdp::runtime::RemoveBinding { name: bindings::raw_name(name) }));
        }
        let mut added = false;
        for name in wanted.difference(before) {
            drop(session.start(cdp::runtime::AddBinding { name: bindings::raw_name(name) }));
            added = true;
        }
        if !added {
            return;
        }
        // It finds the raw functions by their names, in the documents that are there and in those to come.
        drop(session.start(cdp::page::AddScriptToEvaluateOnNewDocument {
            source: bindings::ADOPT.to_owned(),
            world_name: None,
            run_immediately: Some(true),
        }));
    }

    fn bring_scripts(
        &self,
        session: &Session,
        before: &BTreeMap<u64, Option<String>>,
        wanted: &BTreeMap<u64, Arc<str>>,
    ) {
        for (_, name) in before.iter().filter(|(id, _)| !wanted.contains_key(id)) {
            remove_script(session, name.clone());
        }
        for (id, source) in wanted.iter().filter(|(id, _)| !before.contains_key(id)) {
            let added = session.start(cdp::page::AddScriptToEvaluateOnNewDocument {
                source: source.to_string(),
                world_name: None,
                run_immediately: None,
            });
            let (id, session, wishes) = (*id, session.clone(), Arc::clone(&self.listening.wishes));
            tokio::spawn(async move {
                // A session that is gone took its scripts along.
                let Ok(added) = added.await else { return };
                note_script(&wishes, &session, id, added.identifier);
            });
        }
    }
}

/// Notes the browser's name of a script; one that nobody wants any more is removed by it.
fn note_script(wishes: &Mutex<Wishes>, session: &Session, id: u64, name: String) {
    let mut wishes = lock(wishes);
    let own = wishes.sessions.get_mut(&session.id().cloned());
    match own.and_then(|in_force| in_force.scripts.get_mut(&id)) {
        Some(place) => *place = Some(name),
        None => {
            drop(wishes);
            remove_script(session, Some(name));
        }
    }
}

fn remove_script(session: &Session, name: Option<String>) {
    if let Some(identifier) = name {
        drop(session.start(cdp::page::RemoveScriptToEvaluateOnNewDocument { identifier }));
    }
}

fn bring_routes(session: &Session, patterns: &[Pattern]) {
    if patterns.is_empty() {
        // What is held is let go by the browser.
        drop(session.start(cdp::fetch::Disable {}));
        return;
    }
    let pattern = |pattern: &Pattern| cdp::fetch::RequestPattern {
        url_pattern: Some(pattern.url.clone()),
        request_stage: Some(if pattern.response { "Response" } else { "Request" }.to_owned()),
    };
    drop(session.start(cdp::fetch::Enable { patterns: Some(patterns.iter().map(pattern).collect()) }));
}
