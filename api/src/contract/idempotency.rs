//! The `Idempotency-Key` header (contract §4.1), and what may come of a repeat: `table` says it of each POST.
//! `dispatch` keeps the answers of calls that start jobs, `once` those of calls that make something else.

use crate::http::error::{Answer, ApiError, Code};
use Repeat::{Harmless, Kept, Refused};
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

/// What happens to a POST that is sent again with the same Idempotency-Key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// The first answer, byte for byte.
    Kept,
    /// The same as without a key: a repeat makes nothing twice.
    Harmless,
    /// A refusal: the operation makes something, and its answer can't be kept.
    Refused,
}

impl Repeat {
    /// The word for it in the document (`x-repeat`), by which clients decide whether to send a POST again.
    pub fn word(self) -> &'static str {
        match self {
            Kept => "kept",
            Harmless => "harmless",
            Refused => "refused",
        }
    }
}

/// Refuses a key on an operation that would make something twice in spite of it. `repeat` is the operation's.
///
/// # Errors
/// `invalid_request`.
pub fn refuse_useless_key(repeat: Option<Repeat>, request: &Request) -> Answer<()> {
    if !request.headers().contains_key(HEADER) || repeat != Some(Refused) {
        return Ok(());
    }
    let message = format!("`{HEADER}` is not taken here: a repeat makes another. Leave it out.");
    Err(ApiError::new(Code::InvalidRequest, message))
}
