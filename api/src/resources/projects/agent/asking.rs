//! A step that asks the model. It changes nothing and may be asked again: after a crash, a stop, or where the model
//! could not answer. Meanwhile the run stays this process's, however long the model takes.

use super::tools::Toolbox;
use super::turn::{Step, Turn};
use crate::http::error::{Answer, ApiError};
use crate::usecases::projects::runs::{LEASE, begin_step, put_off};
use domain::agent::chat::ASK;
use domain::agent::{Chat, Planner, Reply};
use runtime::chat::{AskFault, ChatClient};
use serde_json::{Value, json};
use std::time::Duration;
use store::project_runs::StepEnd;
use tokio::time::sleep;

/// How often a model is asked that can't answer now.
const MOST_ASKS: i32 = 8;
/// How often the run is kept while the model is waited for, well within the time for which it is this process's.
const KEEP: Duration = Duration::from_secs(20);

impl Turn<'_> {
    /// Asks the model what comes next. Whether the turn goes on.
    pub(super) async fn ask(&mut self) -> Answer<bool> {
        let number = self.planner.number() + 1;
        let (app, before) = (self.app, self.planner.status());
        let chat = self.chat()?;
        let shown = json!({ "model": chat.model, "messages": chat.length() });
        let Some(client) = app.agent.as_ref().filter(|client| client.model().id == chat.model) else {
            chat.ask_failed("It is not the one that works on projects here any more.");
            return self.keep(None, before).await;
        };
        if begin_step(self.app, self.claim, (number, ASK, &shown)).await?.is_none() {
            return Ok(false);
        }
        let toolbox = Toolbox::of(&self.app.contract);
        let Some(asked) = self.held(client, toolbox.told).await? else { return Ok(false) };
        // An answer that is none is the model's fault of the moment.
        let asked = asked.and_then(|answer| {
            let why = "Its answer is none that a chat model gives.".to_owned();
            Reply::parse(&answer).ok_or(AskFault::NotNow { why, after: None })
        });
        let why = match asked {
            Ok(reply) => {
                self.tries = 0;
                self.planner.count_step(number);
                self.chat()?.heard(&reply, &toolbox.known);
                let said = reply.shown();
                if self.keep(Some(Step { number, end: StepEnd::Done(Some(&said)) }), before).await? {
                    // Others have their turn, and whether whoever asked for it may act still is looked at again.
                    put_off(self.app, self.claim, Duration::ZERO, false).await?;
                    self.app.runs.tell_begun();
                }
                return Ok(false);
            }
            Err(AskFault::NotNow { after, .. }) if self.tries < MOST_ASKS => {
                put_off(self.app, self.claim, self.later(after), true).await?;
                return Ok(false);
            }
            Err(AskFault::NotNow { why, .. } | AskFault::Refused(why)) => why.replace('\0', "\u{fffd}"),
        };
        self.planner.count_step(number);
        self.chat()?.ask_failed(&why);
        self.keep(Some(Step { number, end: StepEnd::Refused(&why) }), before).await
    }

    /// What the model answers; none where the run is somebody else's by then, or the process stops.
    async fn held(&mut self, client: &ChatClient, tools: Vec<Value>) -> Answer<Option<Result<Value, AskFault>>> {
        let messages = self.chat()?.conversation();
        let asking = client.ask(messages, tools);
        tokio::pin!(asking);
        loop {
            tokio::select! {
                answer = &mut asking => return Ok(Some(answer)),
                () = self.app.process.shutdown.cancelled() => {
                    put_off(self.app, self.claim, Duration::ZERO, false).await?;
                    return Ok(None);
                }
                () = sleep(KEEP) => if !put_off(self.app, self.claim, LEASE, false).await? {
                    return Ok(None);
                },
            }
        }
    }

    fn chat(&mut self) -> Answer<&mut Chat> {
        match &mut self.planner {
            Planner::Chat(chat) => Ok(chat),
            Planner::Keywords(_) => Err(ApiError::internal("a planner without a model asks one")),
        }
    }
}
