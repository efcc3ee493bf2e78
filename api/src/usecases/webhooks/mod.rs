//! Endpoints of the caller's account, the secret that signs for them, and sending again what did not arrive.

pub mod endpoints;
pub mod resend;
pub mod secret;
pub(super) mod series;

use crate::http::error::{Answer, ApiError, Code};
use domain::ids::EndpointId;
use sqlx::PgConnection;

/// The refusal when the account has no such endpoint: nobody has it, or another account does (contract §5.4).
pub async fn missing(conn: &mut PgConnection, id: EndpointId) -> Answer<ApiError> {
    if store::endpoints::exists(conn, id).await? {
        return Ok(ApiError::new(Code::WorkspaceForbidden, "The webhook endpoint is another account's."));
    }
    Ok(ApiError::new(Code::WebhookNotFound, format!("There is no webhook endpoint {id}.")))
}
