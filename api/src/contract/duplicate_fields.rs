//! Whether a JSON text names a field twice in one object: a parser ignores one of the two, and a proxy that looked at
//! the request may have gone by the other.
//!
//! Pure. Text that is not JSON is refused elsewhere, in other words.

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// Characters of a name that are shown.
const SHOWN: usize = 60;
/// The prefix of this module's errors, which none of the parser's own has.
const MARK: &str = "twice: ";

/// Returns the first field that is there twice in an object.
pub fn named_twice(json: &[u8]) -> Option<String> {
    let error = serde_json::from_slice::<Once>(json).err()?.to_string();
    let named = error.strip_prefix(MARK)?;
    let named = named.rsplit_once(" at line ").map_or(named, |(named, _)| named);
    Some(named.chars().take(SHOWN).collect())
}

/// A JSON value that is read and dropped.
struct Once;

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look)
    }
}

struct Look;

impl<'de> Visitor<'de> for Look {
    type Value = Once;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_unit<E: Error>(self) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Once, A::Error> {
        while values.next_element::<Once>()?.is_some() {}
        Ok(Once)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Once, A::Error> {
        let mut seen = HashSet::new();
        while let Some(name) = fields.next_key::<String>()? {
            if seen.contains(&name) {
                // Read to its end, so that the parser reports no error of its own.
                fields.next_value::<IgnoredAny>()?;
                return Err(A::Error::custom(format!("{MARK}{name}")));
            }
            fields.next_value::<Once>()?;
            seen.insert(name);
        }
        Ok(Once)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_is_there_twice_is_named_wherever_it_is_and_however_it_is_spelt() {
        for (json, named) in [
            (r#"{"a":1,"b":{"a":[true,null,-1,1.5,"x"]},"c":[{"a":1},{"a":1}]}"#, None),
            (r#"{"a":1,"a":1}"#, Some("a")),
            (r#"{"a":1,"\u0061":2}"#, Some("a")),
            (r#"[0,{"x":{"é at line":[],"é at line":{}}}]"#, Some("é at line")),
            (r#"{"":1,"":2}"#, Some("")),
            ("{", None),
            (r#"{"a":1,"a":"#, None),
        ] {
            assert_eq!(named_twice(json.as_bytes()).as_deref(), named, "{json}");
        }
        assert_eq!(named_twice(&[0xff]), None);
        assert_eq!(named_twice("[".repeat(10_000).as_bytes()), None);
    }
}
