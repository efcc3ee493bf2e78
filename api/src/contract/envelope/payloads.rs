//! Payloads with a status of their own, and payloads whose bytes are already made.

use poem::http::{HeaderValue, StatusCode};
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::{Json, Payload};
use poem_openapi::registry::{MetaHeader, MetaMediaType, MetaResponse, MetaResponses, MetaSchemaRef, Registry};
use poem_openapi::types::{ToJSON, Type};
use std::marker::PhantomData;

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

    /// The same bytes, documented as `U`. They must have one of the forms that `U` has.
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

/// An answer whose bytes are already made, since making them may take long. It is documented as `Json<T>` is.
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
