//! A step that looks up where nobody speaks in an item. The log shows it as the call that answers everybody the same.
//! No transcript is sent for it: it may have many megabytes, of which a film needs some hundred pauses.

use super::turn::{AgentTurn, Came};
use crate::http::error::Answer;
use crate::resources::library::taken_of_transcript;
use crate::usecases::library::reach;
use domain::agent::{Listening, Pause, Refused};

impl AgentTurn<'_> {
    /// Looks up the pauses, within the time of a call. They are found in the account's turn for long reads, with room
    /// for the transcript, as captions are written.
    pub(super) async fn listen(&self, listening: Listening) -> Came {
        let error = match self.in_time(self.pauses(listening)).await {
            Ok(Ok(pauses)) => return Came::Heard(pauses),
            Ok(Err(error)) => error,
            Err(late) => return late,
        };
        if error.code().retryable() {
            return self.not_now(error.message(), None);
        }
        Came::Refused(Refused { code: error.code().name().to_owned(), message: error.message().to_owned() })
    }

    async fn pauses(&self, listening: Listening) -> Answer<Option<Vec<Pause>>> {
        let (app, account) = (self.app, self.caller.account_id);
        let mut conn = app.process.conn_of(account).await?;
        let item = reach(&mut conn, self.caller.workspace, &listening.item).await?;
        let find = move |document: &[u8]| listening.pauses(document);
        Ok(taken_of_transcript(app, conn, account, item.id, find).await?.flatten())
    }
}
