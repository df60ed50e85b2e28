//! Which of the tabs that share a window is in front. What a page opens comes into the window of its opener and before
//! it; a tab that is behind another one draws nothing, so that its canvas never answers and its pictures are old.

use std::collections::BTreeMap;
use truehand_base::TabId;

/// Tabs by the window that they share. A tab that shares none is not known here.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    /// The window of a tab, named after the tab that had it first.
    of: BTreeMap<TabId, TabId>,
    /// The tab in front, by window.
    front: BTreeMap<TabId, TabId>,
}

impl Windows {
    /// A tab has come into the window of another one, and is in front now.
    pub fn opened(&mut self, tab: TabId, opener: TabId) {
        let window = *self.of.entry(opener).or_insert(opener);
        self.of.insert(tab, window);
        self.front.insert(window, tab);
    }

    /// A tab is about to be used. Whether it must be brought to the front first; it counts as being there from now on.
    pub fn uses(&mut self, tab: TabId) -> bool {
        let Some(window) = self.of.get(&tab) else { return false };
        self.front.insert(*window, tab) != Some(tab)
    }

    /// A tab was closed: which one the browser shows instead is its own choice.
    pub fn closed(&mut self, tab: TabId) {
        if let Some(window) = self.of.remove(&tab)
            && self.front.get(&window) == Some(&tab)
        {
            self.front.remove(&window);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_behind_another_one_of_its_window_is_brought_to_the_front_once() {
        let mut windows = Windows::default();
        let [one, two, three, other] = [1, 2, 3, 9].map(TabId);
        assert!(!windows.uses(one), "it has its window for itself");
        windows.opened(two, one);
        windows.opened(three, two);
        assert!(!windows.uses(three), "it came in front");
        assert!(windows.uses(one) && !windows.uses(one));
        assert!(windows.uses(two) && !windows.uses(other));
        windows.closed(two);
        assert!(windows.uses(one), "who is in front now is not known");
        assert!(!windows.uses(one));
    }
}
