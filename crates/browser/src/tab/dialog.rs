//! Dialogs: an open one is answered, an answer can be given in advance, and nothing ever hangs behind one.

use super::Tab;
use super::state::ArmedAnswer;
use crate::errors::from_cdp;
use crate::options::{Acted, Observe};
use truehand_base::{CallCtx, Dialog, DialogHandling, ErrorBody, ErrorCode, Verdict};
use truehand_cdp as cdp;

impl Tab {
    /// The refusal of calls while a dialog is open.
    pub(crate) fn dialog_error(&self) -> ErrorBody {
        let dialog = self.with(|s| s.dialog.as_ref().map(|d| d.dialog.clone()));
        let (kind, message) =
            dialog.map_or_else(|| ("dialog".to_owned(), String::new()), |d| (d.kind, d.message));
        ErrorBody::new(
            ErrorCode::DialogOpen,
            format!("tab {} shows a {kind} that waits for an answer", self.id()),
        )
        .with("type", kind)
        .with("text", message)
    }

    /// Answers the open dialog; when none is open, arms the answer for the next one.
    ///
    /// # Errors
    /// The codes of a tab that can't answer.
    pub async fn answer_dialog(
        &self,
        ctx: &CallCtx,
        accept: bool,
        text: Option<&str>,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        self.check_alive()?;
        let Some(open) = self.with(|s| s.dialog.clone()) else {
            self.with(|s| s.armed = Some(ArmedAnswer { accept, text: text.map(str::to_owned) }));
            let note = "no dialog is open: the answer is kept for the next one on this tab";
            return Ok(Acted { notes: vec![note.to_owned()], ..Acted::default() });
        };
        let handling = if accept { DialogHandling::Accepted } else { DialogHandling::Dismissed };
        self.with(|s| {
            if let Some(super::Happening::Dialog(dialog)) = s.log.get_mut(open.log_index) {
                dialog.handling = handling;
            }
            s.dialog = None;
        });
        let command = cdp::page::HandleJavaScriptDialog { accept, prompt_text: text.map(str::to_owned) };
        let answered = open.session.start(command);
        // A window that the dialog interrupted goes on. Otherwise arming is queued right behind the answer, and what
        // the dialog's script did before it is what the new window reports as late.
        let interrupted = super::lock(&self.inner.interrupted).take();
        let window = match interrupted {
            Some(window) if observe.enabled => Ok(Some(window.resumed())),
            _ => self.window(ctx, observe, None).await,
        };
        ctx.wait("the dialog to close", answered).await?.map_err(from_cdp)?;
        let effect = match window {
            Ok(window) => self.watch(ctx, window, observe, Vec::new()).await?,
            Err(error) if error.code == ErrorCode::DialogOpen => None,
            Err(error) => return Err(error),
        };
        let mut acted = Acted { effect, ..Acted::default() };
        if let Some(effect) = &mut acted.effect {
            // What the dialog's script did at once counts as the effect of the answer.
            if let Some(mut late) = effect.late.take() {
                effect.dom.absorb(&std::mem::take(&mut late.dom));
                effect.network.failed.append(&mut late.failed);
                late.dialogs.retain(|dialog| dialog.message != open.dialog.message);
                effect.late = Some(late).filter(|late| !late.is_empty());
            }
            // A dialog that came after its action's window is named by its answer.
            if effect.dialogs.iter().all(|dialog| dialog.message != open.dialog.message) {
                effect.dialogs.push(Dialog { handling, ..open.dialog });
            }
            effect.verdict = Verdict::Changed;
        }
        Ok(acted)
    }
}
