//! Instants in requests and answers.

use super::plain_type;
use chrono::{DateTime, Months, NaiveDate, NaiveTime, SecondsFormat, Utc};
use poem_openapi::registry::MetaSchema;
use poem_openapi::types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Display;

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
