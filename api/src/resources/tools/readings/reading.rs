//! The answer of these tools.

use crate::contract::envelope::Stored;
use crate::resources::library::Document;
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaResponses, Registry};
use poem_openapi::types::{ToJSON, Type};

/// What these tools answer: the read, as it is stored, or the job that computes it. Documented as one answer of which
/// either is a form.
#[derive(Debug)]
pub enum Reading<T> {
    /// Put together around the stored text.
    Ready(Document),
    /// Another is on its way.
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
