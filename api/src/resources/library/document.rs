//! A JSON document on its way out, in pieces: text that is here, and objects that are read from the media store as they
//! are taken. What it holds of the room for answers it holds until it has been sent.
//!
//! It knows nothing of what the pieces say. Joining documents into one copies none of them.

use crate::http::answers::{Answers, Large, Room, holding};
use crate::http::error::{Answer, ApiError};
use bytes::{Bytes, BytesMut};
use domain::ids::AccountId;
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use poem::http::{HeaderValue, header};
use poem::{Body, IntoResponse, Response};
use runtime::media::StoredObject;
use std::io;

/// Bytes that a streamed object holds: what is read of it at a time, and what waits to be taken.
const STREAMED_BYTES: u64 = 256 << 10;

/// A document in pieces.
pub struct Document {
    pieces: Vec<Piece>,
    bytes: u64,
    held: Vec<(Room, Option<Large>)>,
}

enum Piece {
    Text(Bytes),
    Object(StoredObject),
}

impl Document {
    /// Of text whose room is held.
    pub fn of_text(pieces: Vec<Bytes>, room: Room, large: Option<Large>) -> Self {
        let bytes = pieces.iter().map(|text| text.len() as u64).sum();
        Self { pieces: pieces.into_iter().map(Piece::Text).collect(), bytes, held: vec![(room, large)] }
    }

    /// An object that is read as it is taken.
    ///
    /// # Errors
    /// `rate_limited` or `unavailable` when there is no room for even that.
    pub fn streamed(object: StoredObject, answers: &Answers, account: AccountId, large: Large) -> Answer<Self> {
        let room = answers.hold(account, STREAMED_BYTES.min(object.bytes))?;
        Ok(Self { bytes: object.bytes, pieces: vec![Piece::Object(object)], held: vec![(room, Some(large))] })
    }

    /// This document with another behind it.
    #[must_use]
    pub fn then(mut self, other: Self) -> Self {
        self.bytes += other.bytes;
        self.pieces.extend(other.pieces);
        self.held.extend(other.held);
        self
    }

    /// This document with a little text behind it.
    #[must_use]
    pub fn then_text(self, text: String) -> Self {
        self.then(Self::of_text(vec![text.into()], Room::default(), None))
    }

    /// All of it in one piece, for who works with what it says, and what that holds: its room, and the place of a large
    /// answer.
    ///
    /// # Errors
    /// `rate_limited` or `unavailable` when there is no room; `internal` when the store fails.
    pub async fn whole(mut self, answers: &Answers, account: AccountId) -> Answer<(Bytes, Vec<(Room, Option<Large>)>)> {
        let mut held = std::mem::take(&mut self.held);
        held.push((answers.hold(account, self.bytes)?, None));
        let capacity = usize::try_from(self.bytes).unwrap_or(0);
        let whole = self.into_stream().try_fold(BytesMut::with_capacity(capacity), |mut whole, piece| async move {
            whole.extend_from_slice(&piece);
            Ok(whole)
        });
        Ok((whole.await.map_err(ApiError::internal)?.freeze(), held))
    }

    fn into_stream(self) -> BoxStream<'static, io::Result<Bytes>> {
        let stream = |piece| match piece {
            Piece::Text(text) => stream::iter([Ok(text)]).boxed(),
            Piece::Object(object) => object.into_stream().map_err(io::Error::other).boxed(),
        };
        stream::iter(self.pieces.into_iter().map(stream)).flatten().boxed()
    }
}

impl IntoResponse for Document {
    fn into_response(mut self) -> Response {
        let (bytes, held) = (self.bytes, std::mem::take(&mut self.held));
        let body = Body::from_bytes_stream(self.into_stream());
        let mut response = Response::builder().content_type("application/json; charset=utf-8").body(body);
        // So that a client can tell an answer that broke off from one that is whole.
        response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(bytes));
        holding(response, held)
    }
}

impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Document({} bytes in {} pieces)", self.bytes, self.pieces.len())
    }
}
