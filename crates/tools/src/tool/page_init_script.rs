//! `page_init_script`: a script that runs in every new document before the page's own, for scripts.

use crate::common::{Common, named_tab};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Verb};

/// Run a script in every new document, or no more. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageInitScript {
    /// One tab; without it all, also those to come.
    tab_id: Option<String>,
    /// The script.
    source: Option<String>,
    /// The number of one that is to run no more.
    remove: Option<u64>,
}

impl Tool for PageInitScript {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("page_init_script", "Run a script in new documents", EffectClass::Script, Verb::Js)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let tab = named_tab(self.tab_id.as_deref())?;
        let mut reply = Reply::default();
        match (&self.source, self.remove) {
            (Some(source), None) => {
                let id = cx.scope.add_script(cx.call, tab, source).await?;
                "will run it in new documents".clone_into(&mut reply.done);
                reply.put("script", id);
            }
            (None, Some(id)) => {
                reply.put("removed", cx.scope.remove_script(id));
                "runs it no more".clone_into(&mut reply.done);
            }
            _ => {
                let what = "either source or remove is needed";
                return Err(ErrorBody::new(ErrorCode::InvalidArguments, what).next("pass source: the script"));
            }
        }
        Ok(reply)
    }
}
