//! A step that asks the model. It changes nothing and may be repeated: after a crash, a stop, or when the model could
//! not answer. Meanwhile this process keeps the run, however long the model takes.

use super::tools::Toolbox;
use super::turn::{AgentTurn, Step};
use crate::app::beside::in_turn;
use crate::http::error::{Answer, ApiError};
use crate::usecases::projects::runs::{back_off, begin_step, count_question, hand_back, pause, renew};
use domain::agent::chat::ASK;
use domain::agent::{Chat, Planner, Reply};
use runtime::chat::{AskFault, ChatClient};
use serde_json::{Value, json};
use std::time::Duration;
use store::project_runs::StepEnd;
use tokio::time::sleep;

/// The number of times that a model is asked before a failure to answer is final.
const MOST_ASKS: i32 = 8;
/// The same where it was late: each further time may take as long, an hour at most.
const MOST_LATE_ASKS: i32 = 2;
/// The interval at which the run's lease is renewed while the model is waited for, well within the lease.
const KEEP: Duration = Duration::from_secs(20);

impl AgentTurn<'_> {
    /// Asks the model what comes next. Returns whether the turn continues.
    pub(super) async fn ask(&mut self) -> Answer<bool> {
        let number = self.planner.number() + 1;
        let (app, before) = (self.app, self.planner.status());
        let chat = self.chat()?;
        let shown = json!({ "model": chat.model, "messages": chat.length() });
        let Some(client) = app.agent.as_ref().filter(|client| client.model().id == chat.model) else {
            chat.ask_failed("It is not the one that works on projects here any more.");
            return self.keep(None, before).await;
        };
        if let Some(wait) = count_question(app, self.caller.account_id).await? {
            pause(app, self.claim, self.later(Some(wait))).await?;
            return Ok(false);
        }
        if begin_step(self.app, self.claim, number, ASK, &shown).await?.is_none() {
            return Ok(false);
        }
        let (turns, account, budget) = (&app.turns.agents, self.caller.account_id, self.budget);
        let chat = self.chat()?;
        let told = || (Toolbox::of(&app.contract), chat.conversation());
        let (toolbox, messages) = in_turn(turns, account, told).await;
        let Some(asked) = self.wait_for_answer(client, messages, toolbox.told).await? else { return Ok(false) };
        // An answer that is not a chat model's is treated as a temporary fault of the model.
        let asked = asked.and_then(|answer| {
            let why = "Its answer is none that a chat model gives.".to_owned();
            Reply::parse(&answer).ok_or(AskFault::NotNow { why, after: None })
        });
        let why = match asked {
            Ok(reply) => {
                self.tries = 0;
                self.planner.count_step(number);
                let chat = self.chat()?;
                in_turn(turns, account, || chat.hear_reply(&reply, &toolbox.known, budget)).await;
                let said = reply.shown();
                if self.keep(Some(Step { number, end: StepEnd::Done(Some(&said)) }), before).await? {
                    // Others have their turn, and the caller's rights are checked again.
                    hand_back(self.app, self.claim).await?;
                    self.app.runs.tell_begun();
                }
                return Ok(false);
            }
            Err(fault) => {
                if let Some(wait) = self.again_after(&fault) {
                    back_off(self.app, self.claim, wait).await?;
                    return Ok(false);
                }
                fault.why().replace('\0', "\u{fffd}")
            }
        };
        self.planner.count_step(number);
        self.chat()?.ask_failed(&why);
        self.keep(Some(Step { number, end: StepEnd::Refused(&why) }), before).await
    }

    /// Returns how long to wait before the model is asked again; none when it is not, because it won't answer or was
    /// asked often enough.
    fn again_after(&self, fault: &AskFault) -> Option<Duration> {
        let (most, after) = match fault {
            AskFault::NotNow { after, .. } => (MOST_ASKS, *after),
            AskFault::Late => (MOST_LATE_ASKS, None),
            AskFault::Refused(_) => return None,
        };
        (self.tries < most).then(|| self.later(after))
    }

    /// Returns the model's answer; none when another process has the run by then, or this process stops.
    async fn wait_for_answer(
        &self,
        client: &ChatClient,
        messages: Vec<Value>,
        tools: Vec<Value>,
    ) -> Answer<Option<Result<Value, AskFault>>> {
        let asking = client.ask(messages, tools);
        tokio::pin!(asking);
        loop {
            tokio::select! {
                answer = &mut asking => return Ok(Some(answer)),
                () = self.app.process.shutdown.cancelled() => {
                    hand_back(self.app, self.claim).await?;
                    return Ok(None);
                }
                () = sleep(KEEP) => if !renew(self.app, self.claim).await? {
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
