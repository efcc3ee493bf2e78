//! Cloud minutes and AI credits in answers.

use super::plain_type;
use domain::credits::Credits;
use domain::minutes::Minutes;
use poem_openapi::registry::MetaSchema;
use poem_openapi::types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type};
use serde_json::Value;
use std::borrow::Cow;

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
