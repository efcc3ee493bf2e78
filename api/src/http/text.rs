//! Values of requests and answers that poem-openapi's own types read too kindly or can't show: texts, ids, times.
//!
//! `String` there takes `false` for `"false"`; [`Text`] takes texts alone. Whether an id names something is the
//! handler's to find out: here it is only read.

use crate::http::error::{Answer, ApiError, Code};
use chrono::{DateTime, Months, NaiveDate, NaiveTime, SecondsFormat, Utc};
use domain::credits::Credits;
use domain::minutes::Minutes;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{MaybeUndefined, ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Deref;
use std::str::FromStr;

/// What poem-openapi asks of a value without parts, said once.
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
        // Postgres keeps no NUL in a text, so none can name or describe anything here.
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
    /// Anything that can be written, an id above all.
    pub fn of(value: impl Display) -> Self {
        Self(value.to_string())
    }

    /// The id this text is, or the refusal of a field that holds none.
    pub fn id_in<T: FromStr<Err: Display>>(&self, field: &str) -> Answer<T> {
        self.0.parse().map_err(|wrong| ApiError::new(Code::InvalidRequest, format!("`{field}`: {wrong}.")))
    }

    /// The id this text is, or the refusal that nothing has it. A text that can't be an id names nothing either.
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

/// An instant in answers: RFC 3339 in UTC with milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub DateTime<Utc>);

plain_type!(Time, "string_date-time", MetaSchema::new_with_format("string", "date-time"));

impl Time {
    /// Midnight UTC at the start of the month after this one.
    pub fn month_after(month: NaiveDate) -> Self {
        Self(month.checked_add_months(Months::new(1)).unwrap_or(month).and_time(NaiveTime::MIN).and_utc())
    }
}

impl Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl ToJSON for Time {
    fn to_json(&self) -> Option<Value> {
        Some(Value::String(self.to_string()))
    }
}

impl ParseFromJSON for Time {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value.unwrap_or_default() {
            Value::String(text) => Self::parse_from_parameter(&text),
            other => Err(ParseError::expected_type(other)),
        }
    }
}

impl ParseFromParameter for Time {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        let time = DateTime::parse_from_rfc3339(value)
            .map_err(|_| ParseError::custom("expected a time such as 2026-11-20T09:30:00.000Z"))?;
        Ok(Self(time.with_timezone(&Utc)))
    }
}

impl From<DateTime<Utc>> for Time {
    fn from(time: DateTime<Utc>) -> Self {
        Self(time)
    }
}

/// Cloud minutes in answers: a number with at most two decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct MinuteCount(pub Minutes);

plain_type!(MinuteCount, "minutes", MetaSchema::new("number"));

impl ToJSON for MinuteCount {
    fn to_json(&self) -> Option<Value> {
        serde_json::to_value(self.0).ok()
    }
}

impl ParseFromJSON for MinuteCount {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        serde_json::from_value(value.unwrap_or_default()).map(Self).map_err(ParseError::custom)
    }
}

impl From<Minutes> for MinuteCount {
    fn from(minutes: Minutes) -> Self {
        Self(minutes)
    }
}

/// AI credits in answers: a number with at most two decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct CreditCount(pub Credits);

plain_type!(CreditCount, "credits", MetaSchema::new("number"));

impl ToJSON for CreditCount {
    fn to_json(&self) -> Option<Value> {
        serde_json::to_value(self.0).ok()
    }
}

impl ParseFromJSON for CreditCount {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        serde_json::from_value(value.unwrap_or_default()).map(Self).map_err(ParseError::custom)
    }
}

impl From<Credits> for CreditCount {
    fn from(credits: Credits) -> Self {
        Self(credits)
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

/// A JSON object of whichever fields.
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

/// What is said of a field that may be null: nothing, that it is none, or what it is.
pub fn said<T>(field: MaybeUndefined<T>) -> Option<Option<T>> {
    match field {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(None),
        MaybeUndefined::Value(value) => Some(Some(value)),
    }
}
