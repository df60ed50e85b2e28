//! A browser context with its tabs: who is in it can't see what is in another. An isolated one is one client's; the
//! default one of a profile, or of a browser that already ran, is shared by all clients that ask for it.

use crate::browser::Browser;
use crate::errors::from_cdp;
use crate::feed::{Hub, kind};
use crate::front::Windows;
use crate::input::InputSettings;
use crate::lease::{Hold, LeaseTimes, Leases};
use crate::options::TabInfo;
use crate::refs::RefNumbers;
use crate::tab::{Happening, Lane, Tab, lock};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use truehand_base::{CallCtx, ClientId, ErrorBody, ErrorCode, TabFact, TabId};
use truehand_cdp::{self as cdp, BrowserContextId, Connection, TargetId};

pub(crate) struct Space {
    browser: Arc<Browser>,
    /// `None` is the browser's own default context.
    context: Option<BrowserContextId>,
    input: InputSettings,
    tabs: Mutex<Tabs>,
    /// Shared with the space that comes after a lost connection, so that a number never names two elements.
    refs: Arc<RefNumbers>,
    /// Whether another connection to the same browser was there before.
    again: bool,
    /// Tabs that are being opened by us, so that they are not announced as somebody else's.
    opening: AtomicUsize,
    /// Which tab is in front, where several share a window.
    windows: Mutex<Windows>,
    /// `None` in an isolated context.
    shared: Option<Shared>,
    /// Who listens to what happens in the tabs.
    hub: Arc<Hub>,
}

/// What is needed where several clients are.
struct Shared {
    leases: Arc<Leases>,
    users: Mutex<Users>,
}

/// Who is here, each with a number that nobody else gets.
#[derive(Default)]
struct Users {
    here: Vec<(ClientId, u32)>,
    last: u32,
    /// Everybody has left, and nobody comes any more.
    over: bool,
}

impl Users {
    fn number(&self, client: &ClientId) -> Option<u32> {
        self.here.iter().find(|(user, _)| user == client).map(|(_, number)| *number)
    }
}

#[derive(Default)]
struct Tabs {
    entries: BTreeMap<TabId, Entry>,
    last: u32,
    /// Tabs that were known before the connection was lost.
    former: HashMap<TargetId, Former>,
}

/// What stays of a tab when the connection is lost.
#[derive(Clone)]
struct Former {
    id: TabId,
    owned: bool,
    keeper: Option<ClientId>,
}

struct Entry {
    target: TargetId,
    url: String,
    title: String,
    /// Opened by one of us; others were there or are somebody else's, and are only let go.
    owned: bool,
    /// The client that it is closed with.
    keeper: Option<ClientId>,
    tab: Option<Tab>,
    /// One attachment at a time. Only calls that want this very tab wait for it.
    attaching: Arc<tokio::sync::Mutex<()>>,
}

impl Space {
    /// Makes a context of its own, or takes the browser's default one.
    pub async fn open(
        ctx: &CallCtx,
        browser: &Arc<Browser>,
        isolated: bool,
        input: InputSettings,
        leases: LeaseTimes,
        former: Option<Arc<Space>>,
    ) -> Result<Arc<Space>, ErrorBody> {
        let root = browser.connection.browser();
        let context = if isolated {
            let create = cdp::target::CreateBrowserContext { dispose_on_detach: Some(true) };
            Some(root.send(ctx, create).await.map_err(from_cdp)?.browser_context_id)
        } else {
            None
        };
        let downloads = cdp::browser::SetDownloadBehavior {
            behavior: "allowAndName".to_owned(),
            browser_context_id: context.clone(),
            download_path: Some(browser.downloads.display().to_string()),
            events_enabled: Some(true),
        };
        root.send(ctx, downloads).await.map_err(from_cdp)?;
        let space = Arc::new(Space {
            browser: Arc::clone(browser),
            context,
            input,
            again: former.is_some(),
            tabs: Mutex::new(former.as_ref().map(|former| former.remembered()).unwrap_or_default()),
            refs: former.map_or_else(|| Arc::new(RefNumbers::new()), |former| Arc::clone(&former.refs)),
            opening: AtomicUsize::new(0),
            windows: Mutex::default(),
            shared: (!isolated).then(|| Shared { leases: Leases::new(leases), users: Mutex::default() }),
            hub: Arc::default(),
        });
        browser.add_space(&space);
        if !isolated {
            // What is open already was announced before this space existed.
            let targets = root.send(ctx, cdp::target::GetTargets::default()).await.map_err(from_cdp)?;
            for target in &targets.target_infos {
                space.target_created(target);
            }
        }
        Ok(space)
    }

    /// The browser's name for the context; none for the default one.
    pub fn context(&self) -> Option<BrowserContextId> {
        self.context.clone()
    }

    /// Who listens to what happens in the tabs.
    pub fn hub(&self) -> Arc<Hub> {
        Arc::clone(&self.hub)
    }

    /// Whether a tab is one of a client's own: all are in an isolated context.
    pub fn owns(&self, id: TabId, client: &ClientId) -> bool {
        let Some(shared) = &self.shared else { return true };
        match shared.leases.holder(id) {
            Some(holder) => holder == *client,
            None => lock(&self.tabs).entries.get(&id).is_some_and(|e| e.keeper.as_ref() == Some(client)),
        }
    }

    /// Stops a download that one of the tabs began.
    pub fn stop_download(&self, guid: &str, why: &str) {
        self.browser.downloading.stop(&self.browser.connection, guid, why.to_owned());
    }

    pub fn connection(&self) -> &Connection {
        &self.browser.connection
    }

    pub fn headed(&self) -> bool {
        self.browser.headed
    }

    pub fn alive(&self) -> bool {
        self.browser.alive()
    }

    pub fn input(&self) -> &InputSettings {
        &self.input
    }

    /// The numbers of references in all tabs of the context.
    pub fn refs(&self) -> &RefNumbers {
        &self.refs
    }

    /// Whether a target is one of this space's tabs. The main frame of a tab has the target's own id.
    pub fn has_target(&self, id: &str) -> bool {
        lock(&self.tabs).entries.values().any(|e| e.target.0 == id)
    }

    pub fn attached_tabs(&self) -> Vec<Tab> {
        lock(&self.tabs).entries.values().filter_map(|e| e.tab.clone()).collect()
    }

    pub fn tab_that_issued(&self, number: u32) -> Option<TabId> {
        self.attached_tabs().iter().find(|t| t.issued(number)).map(Tab::id)
    }

    /// A client comes to use the space; false when it is too late for that.
    pub fn join(&self, client: &ClientId) -> bool {
        let Some(shared) = &self.shared else { return true };
        let mut users = lock(&shared.users);
        if !users.over && users.number(client).is_none() {
            users.last += 1;
            let number = users.last;
            users.here.push((client.clone(), number));
        }
        !users.over
    }

    /// Whether more clients than one are here, so that what one of them was shown is not all that was shown.
    pub fn several(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| lock(&shared.users).here.len() > 1)
    }

    /// The number of a client here.
    pub fn reader(&self, client: &ClientId) -> u32 {
        self.shared.as_ref().and_then(|shared| lock(&shared.users).number(client)).unwrap_or_default()
    }

    /// Waits for a client's turn to act on a tab; in an isolated context it is always its turn.
    ///
    /// # Errors
    /// `TAB_BUSY`, `TAB_CLOSED`, `CANCELLED`.
    pub async fn hold(&self, ctx: &CallCtx, id: TabId, client: &ClientId) -> Result<Option<Hold>, ErrorBody> {
        let Some(shared) = &self.shared else { return Ok(None) };
        let hold = shared.leases.hold(ctx, id, client).await?;
        let mut tabs = lock(&self.tabs);
        if let Some(entry) = tabs.entries.get_mut(&id).filter(|entry| entry.owned) {
            let here = |user: &ClientId| lock(&shared.users).number(user).is_some();
            // Whoever opened it is gone: it stays with the client that goes on in it.
            if !entry.keeper.as_ref().is_some_and(here) {
                entry.keeper = Some(client.clone());
            }
        }
        Ok(Some(hold))
    }

    /// Gives a tab up. Says who gets it now, when somebody waits.
    pub fn release(&self, id: TabId, client: &ClientId) -> Option<ClientId> {
        self.shared.as_ref().and_then(|shared| shared.leases.release(id, client))
    }

    /// A client listens no more: what it wanted of the tabs is undone.
    fn deafen(&self, client: &ClientId) {
        self.hub.leave(client);
        if self.alive() {
            for tab in self.attached_tabs() {
                tab.renew();
            }
        }
    }

    /// A client is gone: what it held is free.
    pub fn client_gone(&self, client: &ClientId) {
        self.deafen(client);
        if let Some(shared) = &self.shared {
            shared.leases.client_gone(client);
        }
    }

    /// Opens an empty tab.
    pub async fn open_tab(self: &Arc<Self>, ctx: &CallCtx, client: &ClientId) -> Result<Tab, ErrorBody> {
        let id =
            self.create(ctx, |target| self.adopt(&target, "about:blank", "", true, Some(client))).await?;
        self.tab(ctx, id).await
    }

    /// Has the browser open an empty tab, of which `take` makes something before it is announced to anybody.
    async fn create<T>(&self, ctx: &CallCtx, take: impl FnOnce(TargetId) -> T) -> Result<T, ErrorBody> {
        self.opening.fetch_add(1, Ordering::SeqCst);
        let create = cdp::target::CreateTarget {
            url: "about:blank".to_owned(),
            browser_context_id: self.context.clone(),
            // Each tab has a window of its own when nobody looks: of tabs that share one all but the first are hidden,
            // draw no frames, and no picture can be taken of them.
            new_window: (!self.browser.headed).then_some(true),
            // In somebody's own browser a tab in front would take the keys that they are typing.
            background: (!self.browser.ours).then_some(true),
            ..Default::default()
        };
        let created = self.browser.connection.browser().send(ctx, create).await;
        let taken = created.map_err(from_cdp).map(|c| take(c.target_id));
        self.opening.fetch_sub(1, Ordering::SeqCst);
        taken
    }

    /// Opens an empty tab that is no tab of its own but to take another one's place.
    pub async fn open_spare(&self, ctx: &CallCtx) -> Result<TargetId, ErrorBody> {
        self.create(ctx, |target| {
            // The word of it came first, and gave it a handle that nobody knows.
            let known = {
                let mut tabs = lock(&self.tabs);
                let id = tabs.entries.iter().find(|(_, e)| e.target == target).map(|(id, _)| *id);
                id.inspect(|id| drop(tabs.entries.remove(id)))
            };
            if let (Some(id), Some(shared)) = (known, &self.shared) {
                shared.leases.closed(id);
            }
            target
        })
        .await
    }

    /// From now on a tab is what a spare one was. What it was so far is closed, and nobody waits for that.
    pub fn replaced(&self, id: TabId, target: &TargetId) {
        let before = {
            let mut tabs = lock(&self.tabs);
            tabs.entries.get_mut(&id).map(|entry| std::mem::replace(&mut entry.target, target.clone()))
        };
        // A spare tab has a window of its own.
        lock(&self.windows).closed(id);
        // A tab that was closed meanwhile needs no other.
        self.discard(before.unwrap_or_else(|| target.clone()));
    }

    /// Closes a target that is no tab, or none any more.
    pub fn discard(&self, target_id: TargetId) {
        drop(self.browser.connection.browser().start(cdp::target::CloseTarget { target_id }));
    }

    /// What a space that comes after this one, on a new connection to the same browser, has to know of its tabs.
    fn remembered(&self) -> Tabs {
        let tabs = lock(&self.tabs);
        let known = tabs.entries.iter().map(|(id, entry)| {
            let former = Former { id: *id, owned: entry.owned, keeper: entry.keeper.clone() };
            (entry.target.clone(), former)
        });
        // Those that a connection lost again had not found yet are not forgotten either.
        let former = tabs.former.clone().into_iter().chain(known).collect();
        Tabs { entries: BTreeMap::new(), last: tabs.last, former }
    }

    /// Whether the connection was lost before, so that what was read then is void.
    pub fn reconnected(&self) -> bool {
        self.again
    }

    /// The handle of a target, given when it is new.
    fn adopt(
        &self,
        target: &TargetId,
        url: &str,
        title: &str,
        owned: bool,
        client: Option<&ClientId>,
    ) -> TabId {
        let mut tabs = lock(&self.tabs);
        let known = tabs.entries.iter().find(|(_, e)| e.target == *target).map(|(id, _)| *id);
        let former = tabs.former.remove(target);
        let id = known.or_else(|| former.as_ref().map(|former| former.id)).unwrap_or_else(|| {
            tabs.last += 1;
            TabId(tabs.last)
        });
        let owned = owned || former.as_ref().is_some_and(|former| former.owned);
        let entry = tabs.entries.entry(id).or_insert_with(|| Entry {
            target: target.clone(),
            url: url.to_owned(),
            title: title.to_owned(),
            owned,
            keeper: former.and_then(|former| former.keeper),
            tab: None,
            attaching: Arc::default(),
        });
        entry.owned |= owned;
        if entry.keeper.is_none() {
            entry.keeper = client.cloned();
        }
        if let Some(shared) = &self.shared {
            shared.leases.opened(id, client);
        }
        id
    }

    /// A tab by its handle, attached when it was not.
    pub async fn tab(self: &Arc<Self>, ctx: &CallCtx, id: TabId) -> Result<Tab, ErrorBody> {
        let tab = self.attach(ctx, id).await?;
        // Where somebody may look on, nothing is moved before their eyes.
        if !self.browser.headed && lock(&self.windows).uses(id) {
            let front = cdp::target::ActivateTarget { target_id: tab.target_id().clone() };
            ctx.wait("the window", self.browser.connection.browser().send(ctx, front))
                .await?
                .map_err(from_cdp)?;
        }
        Ok(tab)
    }

    async fn attach(self: &Arc<Self>, ctx: &CallCtx, id: TabId) -> Result<Tab, ErrorBody> {
        let (target, url, attaching) = {
            let tabs = lock(&self.tabs);
            match tabs.entries.get(&id) {
                Some(Entry { tab: Some(tab), .. }) => return Ok(tab.clone()),
                Some(entry) => (entry.target.clone(), entry.url.clone(), Arc::clone(&entry.attaching)),
                None if id.0 >= 1 && id.0 <= tabs.last => {
                    return Err(ErrorBody::new(ErrorCode::TabClosed, format!("tab {id} was closed"))
                        .with("open_tabs", open_names(&tabs)));
                }
                None => {
                    return Err(ErrorBody::new(ErrorCode::UnknownTab, format!("there is no tab {id}"))
                        .with("open_tabs", open_names(&tabs)));
                }
            }
        };
        let _one = ctx.wait("the tab", attaching.lock()).await?;
        if let Some(tab) = self.attached(id) {
            return Ok(tab);
        }
        let tab = Tab::attach(ctx, self, id, target, url, Lane::default()).await?;
        let mut tabs = lock(&self.tabs);
        match tabs.entries.get_mut(&id) {
            Some(entry) => Ok(entry.tab.insert(tab).clone()),
            None => Err(ErrorBody::new(ErrorCode::TabClosed, format!("tab {id} was closed"))),
        }
    }

    /// A tab by its handle if it is attached.
    pub fn attached(&self, id: TabId) -> Option<Tab> {
        lock(&self.tabs).entries.get(&id)?.tab.clone()
    }

    pub fn has(&self, id: TabId) -> bool {
        lock(&self.tabs).entries.contains_key(&id)
    }

    /// The newest tab that a client may take for its own: one that it opened, else one that was there and that
    /// nobody holds. Where several clients are, another one's tab is never taken without being named.
    pub fn newest(&self, client: &ClientId) -> Option<TabId> {
        let tabs = lock(&self.tabs);
        let Some(shared) = &self.shared else { return tabs.entries.keys().next_back().copied() };
        let newest = |fits: &dyn Fn(&TabId, &Entry) -> bool| {
            tabs.entries.iter().rev().find(|(id, entry)| fits(id, entry)).map(|(id, _)| *id)
        };
        let free = |id: &TabId| shared.leases.holder(*id).is_none_or(|holder| holder == *client);
        newest(&|id, entry| entry.keeper.as_ref() == Some(client) && free(id))
            .or_else(|| newest(&|id, entry| !entry.owned && free(id)))
    }

    pub fn list(&self, current: Option<TabId>) -> Vec<TabInfo> {
        let tabs = lock(&self.tabs);
        let info = |(id, entry): (&TabId, &Entry)| {
            let mut info = entry.tab.as_ref().map_or_else(
                || TabInfo {
                    tab_id: *id,
                    target_id: entry.target.0.clone(),
                    url: entry.url.clone(),
                    title: String::new(),
                    current: false,
                    state: "ready",
                    holder: None,
                },
                Tab::info,
            );
            if info.title.is_empty() {
                info.title.clone_from(&entry.title);
            }
            info.current = current == Some(*id);
            let holder = self.shared.as_ref().and_then(|shared| shared.leases.holder(*id));
            info.holder = holder.map(|holder| holder.to_string());
            info
        };
        tabs.entries.iter().map(info).collect()
    }

    /// Closes a tab and waits until the browser says that it is gone.
    pub async fn close_tab(&self, ctx: &CallCtx, id: TabId) -> Result<(), ErrorBody> {
        let target = lock(&self.tabs).entries.get(&id).map(|e| e.target.clone());
        let Some(target) = target else { return Ok(()) };
        let close = cdp::target::CloseTarget { target_id: target.clone() };
        self.browser.connection.browser().send(ctx, close).await.map_err(from_cdp)?;
        if let Some(tab) = self.attached(id) {
            tab.see_closed(ctx).await;
        }
        // A page may ask on leaving; asked to close, it is not listened to, and the entry goes at once.
        self.target_destroyed(&target);
        Ok(())
    }

    fn is_mine(&self, info: &cdp::target::TargetInfo) -> bool {
        if info.kind != "page" || info.url.starts_with("devtools://") {
            return false;
        }
        match &self.context {
            Some(own) => info.browser_context_id.as_ref() == Some(own),
            // Every context that has a space of its own is claimed there first; the rest is the default one.
            None => true,
        }
    }

    /// A target has come. A tab that one of ours opened is returned, so that it is attached before it asks something.
    pub fn target_created(&self, info: &cdp::target::TargetInfo) -> Option<TabId> {
        if !self.is_mine(info) {
            return None;
        }
        let known = lock(&self.tabs).entries.values().any(|e| e.target == info.target_id);
        if known {
            return None;
        }
        let ours = info.opener_id.is_none() && self.opening.load(Ordering::SeqCst) > 0;
        // What a tab opens belongs to who holds it; in somebody's own browser it may be their click.
        let client = self.client_of(info.opener_id.as_ref());
        let id =
            self.adopt(&info.target_id, &info.url, &info.title, ours || client.is_some(), client.as_ref());
        if ours {
            return None;
        }
        let tabs = self.attached_tabs();
        let opener = tabs.iter().find(|t| Some(t.target_id()) == info.opener_id.as_ref());
        self.hub.tell(
            id,
            kind::BASIC,
            "page",
            &|client| self.owns(id, client),
            || serde_json::json!({ "url": info.url, "opener": opener.map(|tab| tab.id().to_string()) }),
        );
        // A link with noopener names no opener: then it is whoever acts right now.
        if let Some(before) = opener.or_else(|| tabs.iter().find(|tab| tab.window_open())) {
            lock(&self.windows).opened(id, before.id());
        }
        for tab in opener.into_iter().chain(tabs.iter().filter(|t| opener.is_none() && t.window_open())) {
            tab.note(Happening::TabOpened(TabFact {
                tab_id: id,
                url: info.url.clone(),
                title: String::new(),
            }));
        }
        // Whoever listens hears of a tab without an opener too.
        opener.map(|_| id).or_else(|| (self.shared.is_none() && self.hub.any() != 0).then_some(id))
    }

    pub fn target_changed(&self, info: &cdp::target::TargetInfo) {
        let mut tabs = lock(&self.tabs);
        let Some((id, entry)) = tabs.entries.iter_mut().find(|(_, e)| e.target == info.target_id) else {
            return;
        };
        entry.url.clone_from(&info.url);
        entry.title.clone_from(&info.title);
        let id = *id;
        if let Some(tab) = &entry.tab
            && !info.title.is_empty()
            && info.url == tab.url()
            && (tab.title().is_empty() || !provisional(&info.title, &info.url))
        {
            tab.set_title(info.title.clone());
        }
        drop(tabs);
        for tab in self.attached_tabs() {
            tab.rename_opened(id, &info.url, &info.title);
        }
    }

    pub fn target_destroyed(&self, target: &TargetId) {
        let client = self.client_of(Some(target));
        let gone = {
            let mut tabs = lock(&self.tabs);
            let id = tabs.entries.iter().find(|(_, e)| e.target == *target).map(|(id, _)| *id);
            id.and_then(|id| tabs.entries.remove(&id).map(|entry| (id, entry)))
        };
        let Some((id, entry)) = gone else { return };
        let keeper = entry.keeper.clone();
        let owned = |who: &ClientId| match &self.shared {
            Some(shared) => shared.leases.holder(id).or_else(|| keeper.clone()).as_ref() == Some(who),
            None => true,
        };
        self.hub.tell(id, kind::BASIC, "close", &owned, || serde_json::json!({}));
        lock(&self.windows).closed(id);
        if let Some(shared) = &self.shared {
            shared.leases.closed(id);
        }
        let fact = TabFact { tab_id: id, url: entry.url, title: entry.title };
        if let Some(tab) = entry.tab {
            tab.note(Happening::TabClosed(fact.clone()));
            tab.mark_closed("closed");
        }
        for tab in self.attached_tabs().iter().filter(|t| t.window_open()) {
            // What another client closes is no effect of this one's action.
            if self.shared.is_none() || client == self.client_of(Some(tab.target_id())) {
                tab.note(Happening::TabClosed(fact.clone()));
            }
        }
    }

    pub fn browser_gone(&self) {
        for tab in self.attached_tabs() {
            tab.mark_closed(crate::tab::state::BROWSER_GONE);
        }
    }

    /// Who has a tab that opened another one.
    fn client_of(&self, target: Option<&TargetId>) -> Option<ClientId> {
        let shared = self.shared.as_ref()?;
        let tabs = lock(&self.tabs);
        let (id, entry) = tabs.entries.iter().find(|(_, e)| Some(&e.target) == target)?;
        shared.leases.holder(*id).or_else(|| entry.keeper.clone())
    }

    /// The tabs that are to be closed with a client. One that somebody else holds by now is theirs.
    fn left_behind(&self, shared: &Shared, client: &ClientId) -> Vec<TargetId> {
        let mut tabs = lock(&self.tabs);
        let mut left = Vec::new();
        for (id, entry) in tabs.entries.iter_mut().filter(|(_, e)| e.keeper.as_ref() == Some(client)) {
            entry.keeper = shared.leases.holder(*id).filter(|holder| holder != client);
            if entry.keeper.is_none() {
                left.push(entry.target.clone());
            }
        }
        left
    }

    /// A client leaves: an isolated context goes as a whole; of a shared one the client's own tabs are closed.
    pub async fn dispose(&self, ctx: &CallCtx, client: &ClientId) {
        self.deafen(client);
        if let Some(shared) = &self.shared {
            shared.leases.client_gone(client);
            {
                let mut users = lock(&shared.users);
                users.here.retain(|(user, _)| user != client);
                users.over |= users.here.is_empty();
            }
            if !self.alive() {
                return;
            }
            let root = self.browser.connection.browser();
            for target_id in self.left_behind(shared, client) {
                // A tab that is gone already needs no closing.
                drop(root.send(ctx, cdp::target::CloseTarget { target_id }).await);
            }
            return;
        }
        if !self.alive() {
            return;
        }
        let root = self.browser.connection.browser();
        if let Some(context) = &self.context {
            let dispose = cdp::target::DisposeBrowserContext { browser_context_id: context.clone() };
            if let Err(error) = root.send(ctx, dispose).await {
                tracing::debug!("a browser context could not be disposed: {error}");
            }
        }
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        // A browser that goes on without us gets its tabs back as they were.
        if !self.browser.ours && self.alive() {
            for tab in self.attached_tabs() {
                tab.let_go();
            }
        }
    }
}

fn open_names(tabs: &Tabs) -> Vec<serde_json::Value> {
    tabs.entries
        .iter()
        .map(|(id, e)| format!("{id} {}", truehand_base::text::clip(&e.url, 80)).into())
        .collect()
}

/// Whether a title is what the browser shows of the address until the document's own comes; the word of it may come
/// after that one was read.
fn provisional(title: &str, url: &str) -> bool {
    let shown = url.split_once("://").map_or(url, |(_, rest)| rest);
    shown.trim_end_matches('/') == title.trim_end_matches('/') || shown.trim_start_matches("www.") == title
}
