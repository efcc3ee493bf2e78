//! Amounts in whole hundredths: the code that minutes and credits share.
//!
//! Money-like amounts are never floats here or in SQL. Only JSON and traces show them as floats: numbers with at most
//! two decimals. A macro makes a type of its own for each unit, so that no code can add one to the other.

/// Defines the type of a unit, by the type's name and the unit's in refusals.
macro_rules! hundredths {
    ($(#[$doc:meta])* $name:ident, $unit:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
        #[sqlx(transparent)]
        pub struct $name(i64);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0);

            /// Makes an amount from its hundredths.
            pub const fn from_hundredths(hundredths: i64) -> Self {
                Self(hundredths)
            }

            /// Makes an amount from a whole number of units.
            pub const fn from_whole(whole: i64) -> Self {
                Self(whole * 100)
            }

            /// Returns the amount in hundredths.
            pub const fn hundredths(self) -> i64 {
                self.0
            }

            /// Returns the amount as a number to be shown. Amounts are compared and added up in hundredths.
            pub fn as_f64(self) -> f64 {
                crate::hundredths::as_f64(self.0)
            }

            /// Returns what is left when `other` is taken off, or zero. Unlike that of `i64`, it never goes below zero.
            #[must_use]
            pub const fn saturating_sub(self, other: Self) -> Self {
                if other.0 >= self.0 { Self::ZERO } else { Self(self.0 - other.0) }
            }
        }

        impl std::ops::Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl std::ops::AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl std::ops::Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl std::ops::SubAssign for $name {
            fn sub_assign(&mut self, other: Self) {
                self.0 -= other.0;
            }
        }

        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
                amounts.fold(Self::ZERO, std::ops::Add::add)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let sign = if self.0 < 0 { "-" } else { "" };
                write!(f, "{sign}{}.{:02}", self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100)
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            /// Parses a text such as `"2"`, `"2.5"` or `"2.50"`. A negative amount is refused.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                crate::hundredths::parsed(text, $unit).map(Self)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                crate::hundredths::serialize(self.0, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let number = serde_json::Number::deserialize(deserializer)?;
                number.to_string().parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use hundredths;

/// Returns the hundredths that a text says, zero or more.
pub(crate) fn parsed(text: &str, unit: &str) -> Result<i64, String> {
    let wrong = || format!("`{text}` is not an amount of {unit}: zero or more, with at most two decimals");
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if fraction.len() > 2 || !are_digits(whole) || !are_digits(fraction) {
        return Err(wrong());
    }
    let whole: i64 = whole.parse().map_err(|_| wrong())?;
    let hundredths: i64 = format!("{fraction:0<2}").parse().map_err(|_| wrong())?;
    whole.checked_mul(100).and_then(|whole| whole.checked_add(hundredths)).ok_or_else(wrong)
}

/// Writes hundredths as a number with at most two decimals.
pub(crate) fn serialize<S: serde::Serializer>(hundredths: i64, serializer: S) -> Result<S::Ok, S::Error> {
    if hundredths % 100 == 0 {
        serializer.serialize_i64(hundredths / 100)
    } else {
        serializer.serialize_f64(as_f64(hundredths))
    }
}

/// Returns hundredths as a number. A double of this size is printed with exactly these two decimals.
#[expect(clippy::cast_precision_loss, reason = "balances stay far below 2^53 hundredths")]
pub(crate) fn as_f64(hundredths: i64) -> f64 {
    hundredths as f64 / 100.0
}
