//! Values of requests and answers that poem-openapi's own types read too leniently or can't show: texts, ids, times.
//!
//! Its `String` takes `false` for `"false"`; [`Text`] takes JSON strings alone. Handlers find out whether an id exists:
//! here it is only parsed.

mod amounts;
mod time;

use crate::http::error::{Answer, ApiError, Code};
pub use amounts::{CreditCount, MinuteCount};
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{MaybeUndefined, ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Deref;
use std::str::FromStr;
pub use time::Time;

/// Implements poem-openapi's `Type` for a value without parts.
macro_rules! plain_type {
    ($type:ty, $name:literal, $schema:expr) => {
        impl Type for $type {
            const IS_REQUIRED: bool = true;
            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> Cow<'static, str> {
                $name.into()
            }

            fn schema_ref() -> poem_openapi::registry::MetaSchemaRef {
                poem_openapi::registry::MetaSchemaRef::Inline(Box::new($schema))
            }

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                Box::new(std::iter::once(self))
            }
        }
    };
}
pub(crate) use plain_type;

/// A JSON string, and nothing else: a number or a boolean in its place is refused.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Text(pub String);

impl Type for Text {
    const IS_REQUIRED: bool = true;
    // The validators for length and pattern work on `String`.
    type RawValueType = String;
    type RawElementValueType = String;

    fn name() -> Cow<'static, str> {
        "string".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema::new("string")))
    }

    fn as_raw_value(&self) -> Option<&String> {
        Some(&self.0)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a String> + 'a> {
        Box::new(std::iter::once(&self.0))
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl ParseFromJSON for Text {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value.unwrap_or_default() {
            Value::String(text) => Self::parse_from_parameter(&text),
            other => Err(ParseError::expected_type(other)),
        }
    }
}

impl ParseFromParameter for Text {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        // Postgres stores no NUL in a text, so a text with one is refused.
        if value.contains('\0') {
            return Err(ParseError::custom("expected a string without NUL characters"));
        }
        Ok(Self(value.to_owned()))
    }
}

impl ToJSON for Text {
    fn to_json(&self) -> Option<Value> {
        Some(Value::String(self.0.clone()))
    }
}

impl Text {
    /// Returns the text of anything that can be displayed, such as an id.
    pub fn of(value: impl Display) -> Self {
        Self(value.to_string())
    }

    /// Parses the id in this text, or refuses the field.
    pub fn id_in<T: FromStr<Err: Display>>(&self, field: &str) -> Answer<T> {
        self.0.parse().map_err(|wrong| ApiError::new(Code::InvalidRequest, format!("`{field}`: {wrong}.")))
    }

    /// Parses the id in this text, or refuses with `missing`: a text that can't be an id names nothing either.
    pub fn id<T: FromStr>(&self, missing: Code) -> Answer<T> {
        self.0.parse().map_err(|_| {
            let shown: String = self.0.chars().take(64).collect();
            ApiError::new(missing, format!("Nothing has the id `{shown}`."))
        })
    }
}

impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// The constant `true` (contract §4.2, `ok`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct True;

plain_type!(True, "true", MetaSchema { enum_items: vec![Value::Bool(true)], ..MetaSchema::new("boolean") });

impl ToJSON for True {
    fn to_json(&self) -> Option<Value> {
        Some(Value::Bool(true))
    }
}

impl ParseFromJSON for True {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value.unwrap_or_default() {
            Value::Bool(true) => Ok(Self),
            other => Err(ParseError::expected_type(other)),
        }
    }
}

/// A JSON object with any fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fields(pub serde_json::Map<String, Value>);

plain_type!(Fields, "fields", MetaSchema::new("object"));

impl ToJSON for Fields {
    fn to_json(&self) -> Option<Value> {
        Some(Value::Object(self.0.clone()))
    }
}

impl ParseFromJSON for Fields {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value.unwrap_or_default() {
            // Postgres keeps no NUL in a text.
            Value::Object(fields) if !Value::Object(fields.clone()).to_string().contains("\\u0000") => Ok(Self(fields)),
            Value::Object(_) => Err(ParseError::custom("expected texts without NUL characters")),
            other => Err(ParseError::expected_type(other)),
        }
    }
}

/// Returns none where the field is absent, `Some(None)` where it is null, and else its value.
pub fn said<T>(field: MaybeUndefined<T>) -> Option<Option<T>> {
    match field {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(None),
        MaybeUndefined::Value(value) => Some(Some(value)),
    }
}
