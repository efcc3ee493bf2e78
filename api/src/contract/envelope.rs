//! The shapes that answers share: the tool envelope (contract §4.2), lists of routes, and statuses other than 200.
//!
//! Handlers build the inside. Refusals are not here but in `http::error`.

use crate::http::text::{CreditCount, MinuteCount, Text, Time, True};
use domain::credits::Credits;
use domain::minutes::Minutes;
use poem::http::{HeaderValue, StatusCode};
use poem::{IntoResponse, Response};
use poem_openapi::payload::{Json, Payload};
use poem_openapi::registry::{MetaHeader, MetaMediaType, MetaResponse, MetaResponses, MetaSchemaRef, Registry};
use poem_openapi::types::{ParseFromJSON, ToJSON, Type};
use poem_openapi::{ApiResponse, Enum, Object};
use std::marker::PhantomData;
use store::minutes::Balance;

/// A tool's answer (contract §4.2).
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct ToolAnswer<T: ParseFromJSON + ToJSON> {
    /// Always true: any refusal has another status and the error envelope.
    pub ok: True,
    /// The tool's result.
    pub data: T,
    /// The request's id and what it cost.
    pub meta: Meta,
    /// Media to show beside the answer: of the items in it that are ready.
    pub media: Option<Vec<MediaLink>>,
}

impl<T: ParseFromJSON + ToJSON> ToolAnswer<T> {
    /// An answer that used no cloud processing.
    pub fn new(request_id: &str, data: T) -> Self {
        let meta = Meta { request_id: request_id.into(), cost: Cost::default(), cloud_processing: None };
        Self { ok: True, data, meta, media: None }
    }

    /// Adds the minutes that the call used, holds and leaves.
    #[must_use]
    pub fn cloud(mut self, minutes: CloudProcessing) -> Self {
        self.meta.cloud_processing = Some(minutes);
        self
    }

    /// Adds the AI credits that the call used, holds and leaves.
    #[must_use]
    pub fn costing(mut self, cost: Cost) -> Self {
        self.meta.cost = cost;
        self
    }

    /// Adds media to show beside it, if there is any.
    #[must_use]
    pub fn showing(mut self, media: impl IntoIterator<Item = MediaLink>) -> Self {
        self.media = Some(media.into_iter().collect()).filter(|media: &Vec<MediaLink>| !media.is_empty());
        self
    }

    /// As the payload of a handler.
    pub fn json(self) -> Json<Self> {
        Json(self)
    }
}

/// Media to show beside a tool's answer (contract §4.2, `media`).
#[derive(Debug, Object)]
pub struct MediaLink {
    /// The item's type.
    #[oai(rename = "type")]
    pub kind: ItemKind,
    /// The item.
    pub item_id: Text,
    /// The item's name for clients.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// The link to its bytes, as `media_url` of the item.
    pub url: Text,
    /// When that link ends.
    pub expires_at: Time,
    /// The media type that it is served as.
    pub content_type: Text,
    /// Its size in bytes.
    pub bytes: i64,
}

/// The type of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case", rename = "LibraryItemType")]
pub enum ItemKind {
    /// Moving pictures, with or without sound.
    Video,
    /// Sound.
    Audio,
    /// One picture.
    Image,
}

/// `meta` of a tool's answer (contract §4.2).
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Meta {
    /// The id of the request, as in `X-Request-Id`.
    pub request_id: Text,
    /// The AI credits that the call cost.
    pub cost: Cost,
    /// The cloud minutes that the call used, holds and leaves; present for every tool that may start cloud processing.
    pub cloud_processing: Option<CloudProcessing>,
}

/// Cost object (contract §2). All amounts are AI credits with at most two decimals.
#[derive(Debug, Clone, Copy, Default, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Cost {
    /// The estimate for this call; 0 where it costs none.
    pub credits: CreditCount,
    /// Held by running work until it settles; present for a call that may cost credits.
    pub held_credits: Option<CreditCount>,
    /// What the account has left after `held_credits`; present for a call that may cost credits.
    pub left_credits: Option<CreditCount>,
}

impl Cost {
    /// The cost of a call that holds or needs this many credits, with the account's balance.
    pub fn needed(credits: Credits, balance: &Balance) -> Self {
        Self {
            credits: credits.into(),
            held_credits: Some(balance.credits.held.into()),
            left_credits: Some(balance.credits.left().into()),
        }
    }
}

/// Where the work ran (contract §2, `ran_on`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum RanOn {
    /// On the provider's side.
    Cloud,
}

/// `CloudProcessing` object (contract §2). All amounts are minutes with at most two decimals.
#[derive(Debug, Clone, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct CloudProcessing {
    /// Always `cloud`.
    pub ran_on: RanOn,
    /// The estimate for this call.
    pub minutes: MinuteCount,
    /// Charged for work that finished inside the call.
    pub charged_minutes: MinuteCount,
    /// Work still queued; charged when it finishes.
    pub queued_minutes: MinuteCount,
    /// The month's minutes left after `held_minutes`.
    pub left_minutes: MinuteCount,
    /// Held by running work until it settles.
    pub held_minutes: MinuteCount,
    /// Purchased minutes.
    pub bought_minutes: MinuteCount,
    /// What the numbers mean, in words.
    pub note: Option<Text>,
}

impl CloudProcessing {
    /// The minutes of a call that starts nothing and is charged nothing, with the account's balance.
    pub fn idle(balance: &Balance) -> Self {
        Self {
            ran_on: RanOn::Cloud,
            minutes: Minutes::ZERO.into(),
            charged_minutes: Minutes::ZERO.into(),
            queued_minutes: Minutes::ZERO.into(),
            left_minutes: balance.left().into(),
            held_minutes: balance.held_in_all.into(),
            bought_minutes: balance.bought.into(),
            note: None,
        }
    }
}

/// No fields: `{}`, or no body at all.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct NoArguments {}

/// The answer of a route that removes something.
#[derive(Debug, Object)]
pub struct Deleted {
    /// Always true.
    pub deleted: True,
}

impl Deleted {
    /// The only answer of its kind.
    pub fn json() -> Json<Self> {
        Json(Self { deleted: True })
    }
}

/// Implements a JSON payload with a status of its own.
macro_rules! json_with_status {
    ($(#[$doc:meta])* $name:ident, $status:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T>(pub T);

        impl<T: ToJSON> IntoResponse for $name<T> {
            fn into_response(self) -> Response {
                Json(self.0).with_status(StatusCode::$status).into_response()
            }
        }

        impl<T: ToJSON> ApiResponse for $name<T> {
            fn meta() -> MetaResponses {
                json_response::<T>(StatusCode::$status, vec![])
            }

            fn register(registry: &mut Registry) {
                T::register(registry);
            }
        }
    };
}

json_with_status!(
    /// 201 and what was made.
    Created,
    CREATED
);
json_with_status!(
    /// 202 and what will be done.
    Accepted,
    ACCEPTED
);

/// An answer whose bytes are already made, documented as `T`: a repeat of an Idempotency-Key sends them byte for byte.
#[derive(Debug)]
pub struct Stored<T, const STATUS: u16 = 200> {
    body: String,
    replayed: bool,
    shape: PhantomData<fn() -> T>,
}

impl<T: ToJSON, const STATUS: u16> Stored<T, STATUS> {
    /// Serializes a new answer; `body` is what to store.
    pub fn fresh(answer: &T) -> Self {
        Self { body: answer.to_json_string(), replayed: false, shape: PhantomData }
    }

    /// The answer of the first call with this key; sent with `Idempotent-Replayed: true`.
    pub fn replayed(body: String) -> Self {
        Self { body, replayed: true, shape: PhantomData }
    }

    /// Bytes that were put together from stored text.
    pub fn composed(body: String) -> Self {
        Self { body, replayed: false, shape: PhantomData }
    }

    /// The same bytes, documented as `U`, one form of which they have.
    pub fn documented_as<U>(self) -> Stored<U, STATUS> {
        Stored { body: self.body, replayed: self.replayed, shape: PhantomData }
    }

    /// The answer's bytes.
    pub fn body(&self) -> &str {
        &self.body
    }
}

impl<T: Send, const STATUS: u16> IntoResponse for Stored<T, STATUS> {
    fn into_response(self) -> Response {
        let mut response = Response::builder().content_type("application/json; charset=utf-8").body(self.body);
        response.set_status(status(STATUS));
        if self.replayed {
            response.headers_mut().insert("Idempotent-Replayed", HeaderValue::from_static("true"));
        }
        response
    }
}

impl<T: Type + Send, const STATUS: u16> ApiResponse for Stored<T, STATUS> {
    fn meta() -> MetaResponses {
        let replayed = MetaHeader {
            name: "Idempotent-Replayed".to_owned(),
            description: Some(
                "`true` when this is the stored answer of the first call with the Idempotency-Key.".to_owned(),
            ),
            required: false,
            deprecated: false,
            schema: <bool as Type>::schema_ref(),
        };
        json_response::<T>(status(STATUS), vec![replayed])
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

/// An answer whose bytes are already made, as that may take long. It is documented as `Json<T>` is.
#[derive(Debug)]
pub struct Written<T> {
    body: String,
    shape: PhantomData<fn() -> T>,
}

impl<T: ToJSON> Written<T> {
    /// Writes the answer.
    pub fn of(answer: &T) -> Self {
        Self { body: answer.to_json_string(), shape: PhantomData }
    }
}

impl<T: Send> IntoResponse for Written<T> {
    fn into_response(self) -> Response {
        Response::builder().content_type("application/json; charset=utf-8").body(self.body)
    }
}

impl<T: Type + Send> ApiResponse for Written<T> {
    fn meta() -> MetaResponses {
        json_response::<T>(StatusCode::OK, vec![])
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::OK)
}

fn json_response<T: Type>(status: StatusCode, headers: Vec<MetaHeader>) -> MetaResponses {
    let content = MetaMediaType { content_type: <Json<T> as Payload>::CONTENT_TYPE, schema: schema_of::<T>() };
    let response = MetaResponse {
        description: "",
        status: Some(status.as_u16()),
        status_range: None,
        content: vec![content],
        headers,
    };
    MetaResponses { responses: vec![response] }
}

fn schema_of<T: Type>() -> MetaSchemaRef {
    T::schema_ref()
}
