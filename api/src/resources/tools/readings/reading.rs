//! The answer of the tools that show a stored read.

use crate::contract::envelope::Stored;
use crate::resources::library::Document;
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaResponses, Registry};
use poem_openapi::types::{ToJSON, Type};

/// The answer of these tools: the stored read, or the job that computes it. The document shows one schema for both.
#[derive(Debug)]
pub enum Reading<T> {
    /// The answer, written around the text of the stored read.
    Ready(Document),
    /// The answer, which names the job that computes the read.
    Queued(Stored<T>),
}

impl<T: Send> IntoResponse for Reading<T> {
    fn into_response(self) -> Response {
        match self {
            Self::Ready(answer) => answer.into_response(),
            Self::Queued(answer) => answer.into_response(),
        }
    }
}

impl<T: Type + ToJSON> ApiResponse for Reading<T> {
    fn meta() -> MetaResponses {
        Stored::<T>::meta()
    }

    fn register(registry: &mut Registry) {
        Stored::<T>::register(registry);
    }
}
