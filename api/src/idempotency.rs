//! The `Idempotency-Key` header (spec §4.1). What is done with it is decided where jobs are dispatched.

use crate::error::{ApiError, Code};
use poem::{FromRequest, Request, RequestBody};

/// The header's name.
pub const HEADER: &str = "Idempotency-Key";
const LONGEST: usize = 255;

/// The key of a call, if one was sent: 1 to 255 printable ASCII characters. Ask for it after `Auth`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(pub Option<String>);

impl<'a> FromRequest<'a> for IdempotencyKey {
    async fn from_request(request: &'a Request, _body: &mut RequestBody) -> poem::Result<Self> {
        let Some(sent) = request.headers().get(HEADER) else { return Ok(Self(None)) };
        let printable =
            |text: &&str| (1..=LONGEST).contains(&text.len()) && text.bytes().all(|b| (0x20..0x7f).contains(&b));
        let key = sent.to_str().ok().filter(printable).ok_or_else(|| {
            ApiError::new(
                Code::InvalidRequest,
                format!("`{HEADER}`: expected 1 to {LONGEST} printable ASCII characters."),
            )
        })?;
        Ok(Self(Some(key.to_owned())))
    }
}
