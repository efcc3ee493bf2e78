//! Who operates: the bearer token of `MWS_OPERATOR_TOKEN` or of one name in `MWS_OPERATOR_TOKENS`.
//!
//! No query is made for it, and an address may send few wrong ones (`guesses`). What an operation needs stands in `access`, as for customers; what a change leaves in the audit
//! log begins here.

use crate::access::Needs;
use crate::app::App;
use crate::error::{Answer, ApiError, Code};
use crate::guard::Reached;
use crate::scope::Scope;
use common::domain::credential::CredentialHash;
use common::domain::operator::{Operator, OperatorRole};
use common::store::audit::Entry;
use poem::Request;
use poem_openapi::SecurityScheme;
use poem_openapi::auth::Bearer;
use serde_json::Value;
use std::fmt::Display;

/// `Authorization: Bearer <operator's token>`. No customer's credential is taken.
#[derive(SecurityScheme)]
#[oai(rename = "operator", ty = "bearer", checker = "authenticate")]
pub struct OperatorAuth(pub OperatorCaller);

/// An operator, and the request that they make.
#[derive(Debug, Clone)]
pub struct OperatorCaller {
    name: String,
    address: Option<String>,
    /// The value of `X-Request-Id`.
    pub request_id: String,
}

impl OperatorCaller {
    /// What the audit log will say of a change.
    pub fn entry(&self, action: &'static str, target: impl Display) -> Entry {
        Entry {
            operator: self.name.clone(),
            address: self.address.clone(),
            action,
            target: target.to_string(),
            before: None,
            after: None,
            request_id: self.request_id.clone(),
        }
    }

    /// The same, with what was and what is.
    pub fn changed(
        &self,
        action: &'static str,
        target: impl Display,
        before: Option<Value>,
        after: Option<Value>,
    ) -> Entry {
        Entry { before, after, ..self.entry(action, target) }
    }
}

async fn authenticate(request: &Request, bearer: Bearer) -> poem::Result<OperatorCaller> {
    let app = request.data::<App>().ok_or_else(|| ApiError::internal("the router was built without its App"))?;
    let (scope, token) = (Scope::of(request), CredentialHash::of(&bearer.token));
    app.guesses.refuse(&scope, &token).await?;
    let Some(operator) = app.operators.find(&token) else { return Err(guessed(app, &scope).await.into()) };
    app.guesses.right(&token).await;
    let Some(Reached(operation)) = request.data::<Reached>() else {
        return Err(ApiError::internal("an operator's route without an operation").into());
    };
    match operation.needs {
        Some(Needs::Operator(role)) => allow(operator, role)?,
        _ => return Err(ApiError::internal(format!("{} is no operator's in access.rs", operation.name())).into()),
    }
    operation.judge(request)?;
    let address = scope.address.map(|address| address.to_string());
    Ok(OperatorCaller { name: operator.name.clone(), address, request_id: scope.request_id.clone() })
}

/// The refusal of what is no operator's token, which is counted and said in the log: somebody tries the keys to everything.
async fn guessed(app: &App, scope: &Scope) -> ApiError {
    app.guesses.count(scope).await;
    metrics::counter!("mws_operator_guesses_total").increment(1);
    let address = scope.address.map(|address| address.to_string()).unwrap_or_default();
    tracing::warn!(address, "A credential that is no operator's was sent to an operators' route.");
    ApiError::new(Code::Unauthenticated, "This takes an operator's token, and the credential is none.")
        .suggest("Send `Authorization: Bearer <operator's token>`.")
}

fn allow(operator: &Operator, needed: OperatorRole) -> Answer<()> {
    if operator.role >= needed {
        return Ok(());
    }
    let (needed, has) = (needed.name(), operator.role.name());
    Err(ApiError::new(
        Code::RoleForbidden,
        format!("This needs an operator's token of the role {needed}; yours is {has}."),
    ))
}
