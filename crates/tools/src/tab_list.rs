//! How the tab tools show tabs.

use crate::spec::Reply;
use truehand_base::text::{clip, one_line};
use truehand_browser::TabInfo;

/// A tab on one line: `t1 http://host/ "Title"`.
pub fn line(info: &TabInfo) -> String {
    let title = clip(&one_line(&info.title), 80);
    let mut line = format!("{} {}", info.tab_id, clip(&info.url, 160));
    if !title.is_empty() {
        line.push_str(&format!(" \"{title}\""));
    }
    if info.state != "ready" {
        line.push_str(&format!(" [{}]", info.state));
    }
    line
}

/// A reply about one tab.
pub fn one(info: &TabInfo, done: String) -> Reply {
    let mut reply = Reply::of(info.tab_id, done);
    reply.put("url", info.url.clone());
    reply.put("title", info.title.clone());
    reply.put("state", info.state);
    reply
}

/// A reply that lists tabs.
pub fn all(tabs: &[TabInfo]) -> Reply {
    let row = |tab: &TabInfo| {
        let current = if tab.current { " [current]" } else { "" };
        let holder = tab.holder.as_ref().map(|holder| format!(" [held by {holder}]")).unwrap_or_default();
        format!("- {}{current}{holder}", line(tab))
    };
    let rows: Vec<String> = tabs.iter().map(row).collect();
    let mut reply = Reply {
        done: match tabs.len() {
            1 => "1 tab".to_owned(),
            many => format!("{many} tabs"),
        },
        text: Some(rows.join("\n")).filter(|text| !text.is_empty()),
        ..Reply::default()
    };
    reply.put("tabs", serde_json::to_value(tabs).unwrap_or_default());
    reply
}

#[cfg(test)]
mod tests {
    use super::*;
    use truehand_base::TabId;

    fn info(number: u32, title: &str, current: bool, state: &'static str) -> TabInfo {
        TabInfo {
            tab_id: TabId(number),
            target_id: format!("T{number}"),
            url: "http://h/".to_owned(),
            title: title.to_owned(),
            current,
            state,
            holder: None,
        }
    }

    #[test]
    fn tab_list_marks_the_current_tab_and_its_state() {
        let reply = all(&[info(1, "Shop\nfront", true, "ready"), info(2, "", false, "crashed")]);
        assert_eq!(reply.done, "2 tabs");
        assert_eq!(
            reply.text.as_deref(),
            Some("- t1 http://h/ \"Shop front\" [current]\n- t2 http://h/ [crashed]")
        );
        assert_eq!(reply.output["tabs"][1]["tab_id"], "t2");
    }

    #[test]
    fn tab_list_names_who_holds_a_tab() {
        let held = TabInfo { holder: Some("mcp:7".to_owned()), ..info(1, "", false, "ready") };
        assert_eq!(all(&[held]).text.as_deref(), Some("- t1 http://h/ [held by mcp:7]"));
    }

    #[test]
    fn tab_list_of_none_has_no_body() {
        let reply = all(&[]);
        assert_eq!((reply.done.as_str(), reply.text), ("0 tabs", None));
    }
}
