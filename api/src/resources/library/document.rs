//! A JSON document to send, in pieces: text in memory, and objects that are streamed from the media store. It holds its
//! memory for answers until it has been sent.
//!
//! It does not know what the pieces contain. Joining documents into one copies none of them.

use crate::http::answers::{AnswerPermit, Answers, Large, Taker, holding};
use crate::http::error::{Answer, ApiError};
use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use poem::http::{HeaderValue, header};
use poem::{Body, IntoResponse, Response};
use runtime::media::StoredObject;
use std::io;

/// The bytes that a streamed object holds in memory: those that are being read, and those that wait to be sent.
const STREAMED_BYTES: u64 = 256 << 10;

/// A document in pieces.
pub struct Document {
    pieces: Vec<Piece>,
    bytes: u64,
    held: Vec<(AnswerPermit, Option<Large>)>,
}

enum Piece {
    Text(Bytes),
    Object(StoredObject),
}

impl Document {
    /// Makes a document of text whose memory is held by `room`.
    pub fn of_text(pieces: Vec<Bytes>, room: AnswerPermit, large: Option<Large>) -> Self {
        let bytes = pieces.iter().map(|text| text.len() as u64).sum();
        Self { pieces: pieces.into_iter().map(Piece::Text).collect(), bytes, held: vec![(room, large)] }
    }

    /// Makes a document of an object, which is streamed while it is sent.
    ///
    /// # Errors
    /// `rate_limited` or `unavailable` when there is no memory for even that.
    pub fn streamed(object: StoredObject, answers: &Answers, taker: Taker, large: Large) -> Answer<Self> {
        let room = answers.hold(taker, STREAMED_BYTES.min(object.bytes))?;
        Ok(Self { bytes: object.bytes, pieces: vec![Piece::Object(object)], held: vec![(room, Some(large))] })
    }

    /// Returns this document with another after it.
    #[must_use]
    pub fn then(mut self, other: Self) -> Self {
        self.bytes += other.bytes;
        self.pieces.extend(other.pieces);
        self.held.extend(other.held);
        self
    }

    /// Returns this document with a short text after it.
    #[must_use]
    pub fn then_text(self, text: String) -> Self {
        self.then(Self::of_text(vec![text.into()], AnswerPermit::default(), None))
    }

    /// Returns all of it in one piece, to work with its content; the room that it takes; and its places among the
    /// large answers. The room is to be held as long as what is made of it.
    ///
    /// # Errors
    /// `rate_limited` or `unavailable` when there is no memory; `internal` when the store fails.
    pub async fn whole(
        mut self,
        answers: &Answers,
        taker: impl Into<Taker>,
    ) -> Answer<(Bytes, AnswerPermit, Vec<Large>)> {
        // The room of its pieces is given back first: both together could be more than a share.
        let large = std::mem::take(&mut self.held).into_iter().filter_map(|(_, large)| large).collect();
        let room = answers.hold_to_work(taker, self.bytes)?;
        let capacity = usize::try_from(self.bytes).unwrap_or(0);
        let whole = self.into_stream().try_fold(BytesMut::with_capacity(capacity), |mut whole, piece| async move {
            whole.extend_from_slice(&piece);
            Ok(whole)
        });
        Ok((whole.await.map_err(ApiError::internal)?.freeze(), room, large))
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
        // So that a client can tell an answer that broke off from a complete one.
        response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(bytes));
        holding(response, held)
    }
}

impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Document({} bytes in {} pieces)", self.bytes, self.pieces.len())
    }
}
