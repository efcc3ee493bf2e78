//! Conversions between an enum of the domain and the one that the document shows in its place.

/// Converts both ways between two enums with the same variants: the domain's and the document's.
macro_rules! same_words {
    ($domain:ident = $shown:ident { $($name:ident),* }) => {
        impl From<$domain> for $shown {
            fn from(word: $domain) -> Self {
                match word { $($domain::$name => Self::$name,)* }
            }
        }

        impl From<$shown> for $domain {
            fn from(word: $shown) -> Self {
                match word { $($shown::$name => Self::$name,)* }
            }
        }
    };
}

pub(crate) use same_words;
