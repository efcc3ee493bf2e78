//! `mws listen`: follows the account's events, and forwards them to a server that has no public URL.
//!
//! This module keeps the place in the stream: after a break it connects again behind the last message seen, so that
//! nothing is missed or repeated. Events are forwarded one by one, in order, each once. `feed` reads the stream,
//! `forward` posts, `secret` chooses the signing secret, `tell` prints.

mod feed;
mod forward;
mod secret;
mod tell;

use super::Context;
use crate::failure::Failure;
use domain::event::EventType;
use feed::{Feed, Message};
use forward::{Forwarded, Forwarder};
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use secret::Secret;
use serde_json::Value;
use std::convert::Infallible;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tell::Tell;

/// The pause before connecting again; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// A secret that was read longer ago than this is read again before it is used.
const SECRET_KEPT: Duration = Duration::from_secs(10);

/// The events to follow, and where to forward them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Forwarded events carry the headers, the signature and the bytes of real deliveries. They are signed with your account's
own secret, so that a receiver that knows it works unchanged. Where the account has none, or this credential may not read
it, a secret is made for the run and printed once. --secret goes before both. During a rotation the new secret alone signs,
where real deliveries carry a value of each.

An event is posted once, with Service-Attempt: 1: what your server answers is printed, and a failure is not tried again.
A broken connection is made again and goes on where it was. What happened while nobody listened is told after --after.

Examples:
  mws listen
  mws listen --forward http://localhost:3000/hook
  mws listen --forward localhost:3000/hook --events job.failed,job.cancelled
  mws listen --print-json | jq .data.job.status")]
pub struct Args {
    /// Post each event here: any http or https URL, on this machine or in your network.
    #[arg(long, visible_alias = "forward-to", value_name = "URL", value_parser = forward::url)]
    forward: Option<Url>,
    /// Only these events: job.succeeded, job.failed, job.cancelled. Without it: all.
    #[arg(long, value_delimiter = ',', value_parser = event_type)]
    events: Vec<EventType>,
    /// Print each event's body on a line of its own; the server's answers go to standard error.
    #[arg(long, conflicts_with = "json")]
    print_json: bool,
    /// Sign with this secret (`whsec_…`).
    #[arg(long, value_name = "SECRET", env = "MWS_LISTEN_SECRET", hide_env_values = true, requires = "forward")]
    secret: Option<SecretString>,
    /// Begin after this place, which an earlier run printed at its end, instead of now.
    #[arg(long, value_name = "PLACE")]
    after: Option<String>,
    /// PEM file of certificates to trust beside the web's, for a server of your own behind HTTPS.
    #[arg(long, value_name = "FILE", env = "MWS_OUTBOUND_ROOTS")]
    roots: Option<PathBuf>,
}

fn event_type(name: &str) -> Result<EventType, String> {
    let known = EventType::from_name(name).filter(|known| EventType::SUBSCRIBABLE.contains(known));
    known.ok_or_else(|| format!("there is no event `{name}`: choose of job.succeeded, job.failed, job.cancelled"))
}

pub(super) async fn run(args: Args, context: &Context) -> Result<(), Failure> {
    let target = match args.forward.clone() {
        None => None,
        Some(url) => {
            let forwarder = Forwarder::new(url, args.roots.as_deref())?;
            Some((forwarder, Secret::choose(args.secret.as_ref(), &context.client).await?))
        }
    };
    let tell = Tell::new(context.out.clone(), args.print_json);
    let mut listener =
        Listener { context, place: args.after.clone(), args, target, secret_read: Instant::now(), tell, last: None };
    let ended = tokio::select! {
        ended = listener.go_on() => ended,
        _ = tokio::signal::ctrl_c() => Err(Failure::Interrupted(listener.parting())),
    };
    ended.map(|_| ())
}

struct Listener<'a> {
    context: &'a Context,
    args: Args,
    target: Option<(Forwarder, Secret)>,
    /// When the secret was read.
    secret_read: Instant,
    tell: Tell,
    /// The place of the last message that was printed.
    place: Option<String>,
    /// The place of the last event that was handled completely.
    last: Option<String>,
}

impl Listener<'_> {
    /// Follows the stream until a failure that connecting again can't help.
    async fn go_on(&mut self) -> Result<Infallible, Failure> {
        let mut feed = Feed::open(&self.context.client, self.place.as_deref()).await?;
        let target = self.target.as_ref().map(|(forwarder, secret)| (&forwarder.url, secret));
        self.tell.ready(target)?;
        loop {
            let lost = self.follow(feed).await?;
            feed = self.again(lost).await?;
        }
    }

    /// Handles a stream's messages until it breaks, or the server ends it, as it does every few minutes.
    async fn follow(&mut self, mut feed: Feed) -> Result<Option<Failure>, Failure> {
        loop {
            match feed.next().await {
                Ok(Some(message)) => self.deal_with(&message).await?,
                Ok(None) => return Ok(None),
                Err(error) => return Ok(Some(self.context.client.unreachable(&error))),
            }
        }
    }

    async fn deal_with(&mut self, message: &Message) -> Result<(), Failure> {
        self.place = Some(message.id.clone());
        if let Some(body) = message.data.as_deref().filter(|_| self.wants(&message.event)) {
            let event: Value = serde_json::from_str(body).unwrap_or_default();
            if self.secret_read.elapsed() > SECRET_KEPT {
                match self.read_secret().await {
                    // If the secret can't be read now, the old one signs: the stream works, so it may well be right.
                    Err(failure) if may_pass(&failure) => {}
                    other => other?,
                }
            }
            let answered = match &self.target {
                None => None,
                Some((forwarder, secret)) => {
                    let id = event["id"].as_str().unwrap_or_default();
                    Some(forwarder.post(Forwarded { id, event_type: &message.event, body }, secret).await)
                }
            };
            self.tell.event(message, body, &event, answered.as_ref())?;
        }
        self.last = Some(message.id.clone());
        Ok(())
    }

    fn wants(&self, event_type: &str) -> bool {
        self.args.events.is_empty() || self.args.events.iter().any(|wanted| wanted.name() == event_type)
    }

    /// Connects again, for as long as that may help.
    async fn again(&mut self, mut lost: Option<Failure>) -> Result<Feed, Failure> {
        let (began, mut pause, mut told) = (Instant::now(), FIRST_PAUSE, false);
        loop {
            if let Some(why) = lost.take().filter(|_| !told) {
                self.tell.broken(&why)?;
                told = true;
            }
            // The listeners of a restarted service must not all come back at the same moment.
            tokio::time::sleep(pause.mul_f64(0.5 + rand::random::<f64>() / 2.0)).await;
            match self.open_again().await {
                Err(Failure::Refused(refusal)) if refusal.code == "cursor_gone" => {
                    // The database was restored and no longer has what followed the place. The next attempt begins at
                    // the stream's end.
                    self.place = None;
                    self.tell.place_lost()?;
                    told = true;
                    continue;
                }
                Ok(feed) if told => {
                    self.tell.connected_again(began.elapsed())?;
                    return Ok(feed);
                }
                Err(failure) if may_pass(&failure) => lost = Some(failure),
                ended => return ended,
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Opens the stream after the last message, with the account's present secret.
    async fn open_again(&mut self) -> Result<Feed, Failure> {
        self.read_secret().await?;
        Feed::open(&self.context.client, self.place.as_deref()).await
    }

    /// Reads the account's present secret, to sign with from now on.
    async fn read_secret(&mut self) -> Result<(), Failure> {
        if let Some((_, secret)) = &mut self.target {
            let now = Secret::choose(self.args.secret.as_ref(), &self.context.client).await?;
            let changed = now.text().expose_secret() != secret.text().expose_secret();
            // Where the account has none any more, the present one goes on signing.
            if changed && !matches!(now, Secret::Made(..)) {
                *secret = now;
                self.tell.other_secret(secret)?;
            }
        }
        self.secret_read = Instant::now();
        Ok(())
    }

    /// The last line of the output. An event whose forwarding was interrupted comes again for a run from that place.
    fn parting(&self) -> String {
        let count = self.tell.events();
        let next = self.last.as_deref().or(self.args.after.as_deref());
        let next = next.map(|place| format!(" To go on where this ended: mws listen --after {place}"));
        format!("Stopped after {count} event{}.{}", if count == 1 { "" } else { "s" }, next.unwrap_or_default())
    }
}

/// Whether connecting again may help.
fn may_pass(failure: &Failure) -> bool {
    match failure {
        Failure::TryLater(_) => true,
        Failure::Refused(refusal) => refusal.retryable,
        _ => false,
    }
}
