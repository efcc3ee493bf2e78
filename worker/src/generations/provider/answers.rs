//! Providers' answers in JSON: the fields that are read here.
//!
//! The rest of an answer is parsed and not kept: 64 MiB of `[0,0,…]` as values would take more than 2 GB.

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

/// A prediction of Cog's API.
#[derive(Debug, Deserialize)]
pub(super) struct Prediction {
    /// Its id, where the server says it.
    #[serde(default)]
    pub id: Output,
    /// Its state, in Cog's words.
    pub status: Option<String>,
    /// Its output so far.
    #[serde(default)]
    pub output: Output,
}

/// The text of a field, such as the file that an output names: itself, or the first of a list of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Output(pub Option<String>);

/// The answer of `/v1/images/generations`.
#[derive(Debug, Deserialize)]
pub(super) struct AnsweredPictures {
    /// The first picture.
    pub data: First<AnsweredPicture>,
}

/// A picture: its bytes in base64, or its URL.
#[derive(Debug, Deserialize)]
pub(super) struct AnsweredPicture {
    pub b64_json: Option<String>,
    pub url: Option<String>,
}

/// The first of a list.
#[derive(Debug)]
pub(super) struct First<T>(pub Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for First<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
            type Value = First<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<First<T>, A::Error> {
                let first = list.next_element()?;
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(First(first))
            }
        }
        deserializer.deserialize_seq(List(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Output {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Output;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an output")
            }

            fn visit_str<E>(self, text: &str) -> Result<Output, E> {
                Ok(Output(Some(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<Output, E> {
                Ok(Output(Some(text)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Output, A::Error> {
                let first = list.next_element::<Output>()?;
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(first.unwrap_or_default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Output, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Output::default())
            }

            fn visit_unit<E>(self) -> Result<Output, E> {
                Ok(Output::default())
            }

            fn visit_bool<E>(self, _: bool) -> Result<Output, E> {
                Ok(Output::default())
            }

            fn visit_i64<E>(self, _: i64) -> Result<Output, E> {
                Ok(Output::default())
            }

            fn visit_u64<E>(self, _: u64) -> Result<Output, E> {
                Ok(Output::default())
            }

            fn visit_f64<E>(self, _: f64) -> Result<Output, E> {
                Ok(Output::default())
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(json: &str) -> Option<String> {
        serde_json::from_str::<Prediction>(json).unwrap().output.0
    }

    #[test]
    fn an_output_is_its_text_or_the_first_of_a_list_and_anything_else_is_none() {
        assert_eq!(
            output(r#"{ "status": "succeeded", "output": "a", "logs": [1, { "b": 2 }] }"#).as_deref(),
            Some("a")
        );
        assert_eq!(output(r#"{ "output": ["a", "b", 3, ["c"]] }"#).as_deref(), Some("a"));
        for nothing in ["[]", "[0, \"a\"]", "{ \"url\": \"a\" }", "null", "true", "-1", "1", "0.5"] {
            assert_eq!(output(&format!(r#"{{ "output": {nothing} }}"#)), None, "{nothing}");
        }
        assert_eq!(output("{}"), None);
        let id = |json: &str| serde_json::from_str::<Prediction>(json).unwrap().id.0;
        assert_eq!((id(r#"{ "id": "a" }"#).as_deref(), id(r#"{ "id": 1 }"#), id("{}")), (Some("a"), None, None));
    }

    #[test]
    fn of_a_list_of_pictures_the_first_counts_and_one_that_is_none_is_an_error() {
        let first = |json: &str| serde_json::from_str::<AnsweredPictures>(json).map(|pictures| pictures.data.0);
        let picture = first(r#"{ "data": [{ "url": "a", "more": 1 }, 2, "three"] }"#).unwrap().unwrap();
        assert_eq!((picture.url.as_deref(), picture.b64_json), (Some("a"), None));
        assert!(first(r#"{ "data": [] }"#).unwrap().is_none());
        assert!(first(r#"{ "data": [0, 0] }"#).is_err());
    }
}
