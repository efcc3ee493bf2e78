//! Links to the portal of any account: `/operator/accounts/{id}/portal-sessions` (docs/portal.md).

use super::OperatorAuth;
use crate::app::App;
use crate::contract::envelope::Created;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::text::Text;
use crate::resources::account::portal::{CreatePortalSession, PortalSession, look};
use crate::usecases::operator::portal::make_any_portal_link;
use domain::ids::AccountId;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals = &[(
    "POST /operator/accounts/{id}/portal-sessions",
    &[Code::AccountNotFound, Code::AccountSuspended, Code::KeyNotFound],
)];

/// The operation on links to the portal.
pub struct OperatorPortal(pub App);

#[OpenApi(tag = "Tag::Operator")]
impl OperatorPortal {
    /// Make a link to the portal of any account
    ///
    /// As `POST /portal-sessions` makes one for its own account: it can be used once, within ten minutes, and signs a
    /// browser in for an hour. It stands for the newest live key of the account's default workspace, or else for its
    /// newest one, and ends with that. The account's audit log says that an operator made it.
    #[oai(
        path = "/operator/accounts/:id/portal-sessions",
        method = "post",
        operation_id = "operator_create_portal_session"
    )]
    async fn create(
        &self,
        auth: OperatorAuth,
        /// The account's id.
        id: Path<Text>,
        body: Json<Option<CreatePortalSession>>,
    ) -> Answer<Created<PortalSession>> {
        let OperatorAuth(operator) = auth;
        let id: AccountId = id.0.id(Code::AccountNotFound)?;
        let look = look(body.0.unwrap_or_default(), &self.0.public_url)?;
        let (code, expires_at) = make_any_portal_link(&self.0, &operator, id, &look).await?;
        Ok(Created(PortalSession::of(&self.0, &code, expires_at)))
    }
}
