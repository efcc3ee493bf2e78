//! How the tools that return one read answer: with the stored read, put into the answer as text, or with the job that
//! computes it.

use super::reading::Reading;
use super::{ReadOneItem, Readings};
use crate::app::beside::{LONG_READ, apart_in_turn_if};
use crate::auth::Caller;
use crate::contract::envelope::ToolAnswer;
use crate::contract::idempotency::IdempotencyKey;
use crate::http::answers::AnswerPermit;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::json::json_of;
use crate::resources::library::{self, Document, Reader};
use crate::resources::tools::stored_read::{Need, Needed, ReadyRead, need};
use crate::usecases::starting;
use domain::captions::TextFormat;
use domain::ids::ItemId;
use domain::read::Read;
use poem_openapi::types::ToJSON;

/// The form in which a tool answers a read.
pub(super) struct AnswerForm {
    /// The read.
    pub(super) read: Read,
    /// The answer's field for it.
    pub(super) field: &'static str,
    /// Its text form, when it is not JSON.
    pub(super) format: Option<TextFormat>,
}

impl Readings {
    /// Returns the read as the tool shows it, or the job that computes it.
    pub(super) async fn answer<T: ToJSON>(
        &self,
        caller: &Caller,
        key: IdempotencyKey,
        arguments: &ReadOneItem,
        tool: &'static str,
        form: AnswerForm,
    ) -> Answer<Reading<T>> {
        let AnswerForm { read, field, format } = form;
        let mut request = serde_json::json!({ "ref": arguments.item_ref.0 });
        if let Some(format) = format {
            request["format"] = format.name().into();
        }
        let dry_run = arguments.dry_run.unwrap_or(false);
        let wanted = Need { tool, item_ref: &arguments.item_ref, read, request, dry_run };
        let ReadyRead { item, document } = match need(&self.0, caller, key, &wanted).await? {
            Needed::Answered(answer) => return Ok(Reading::Queued(answer.documented_as())),
            Needed::Ready(ready) => ready,
        };
        let head = format!(
            "{{\"ok\":true,\"data\":{{\"ref\":{},\"item_id\":\"{item}\",\"status\":\"ready\",",
            json(&arguments.item_ref.0)?
        );
        let head = Document::of_text(vec![head.into()], AnswerPermit::default(), None);
        let mut answer = match format {
            None => head.then_text(format!("\"{field}\":")).then(document),
            Some(format) => {
                // `write_as` loads the whole read again: this copy is dropped so that memory is not used twice.
                drop(document);
                head.then(self.write_as(caller, item, format).await?)
            }
        };
        if read == Read::Speakers {
            let conn = self.0.process.conn_of(caller.account_id).await?;
            if let Some(speech) = library::stored_read(&self.0, conn, caller.account_id, item, Read::Speech).await? {
                answer = answer.then_text(",\"speech\":".to_owned()).then(speech);
            }
        }
        let idle = starting::idle(&self.0, caller).await?;
        let meta = json_of(&ToolAnswer::new(&caller.request_id, true).cloud(idle).meta);
        Ok(Reading::Ready(answer.then_text(format!("}},\"meta\":{meta}}}"))))
    }
}

impl Readings {
    /// Returns a transcript in another form, as the answer's fields for it.
    async fn write_as(&self, caller: &Caller, item: ItemId, format: TextFormat) -> Answer<Document> {
        let gone = || ApiError::new(Code::ItemNotFound, "The item was deleted a moment ago.");
        let conn = self.0.process.conn_of(caller.account_id).await?;
        let reader = Reader::Caller(caller.account_id);
        let file = library::captions(&self.0, conn, reader, item, format).await?.ok_or_else(gone)?;
        let (text, room, large) = file.into_parts();
        let is_long = text.len() > LONG_READ;
        let write = move || {
            let fields = json(&text).map(|text| format!("\"format\":\"{}\",\"text\":{text}", format.name()));
            fields.map(|fields| (fields, text.len(), room, large))
        };
        let written = apart_in_turn_if(&self.0, caller.account_id, is_long, write).await?;
        let (fields, before, room, large) = written?;
        let more = self.0.answers.hold(caller.account_id, fields.len().saturating_sub(before) as u64)?;
        let document = Document::of_text(vec![fields.into()], room, large);
        Ok(document.then(Document::of_text(Vec::new(), more, None)))
    }
}

fn json(text: &str) -> Answer<String> {
    serde_json::to_string(text).map_err(ApiError::internal)
}
