//! Finds the operator who calls: by the bearer token `MWS_OPERATOR_TOKEN`, or one of the named `MWS_OPERATOR_TOKENS`.
//!
//! That takes no query, and an address may send few wrong tokens (`guesses`). `access` says what an operation needs, as
//! for customers. Entries of the audit log begin here; those of operators who look at an account's data are written
//! here.

use crate::app::App;
use crate::app::beside::BodyTurn;
use crate::auth::in_time;
use crate::contract::MatchedOperation;
use crate::contract::access::Needs;
use crate::http::API_PATH;
use crate::http::answers::Taker;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::scope::Scope;
use domain::credential::CredentialHash;
use domain::ids::AccountId;
use domain::operator::{Operator, OperatorRole};
use futures_util::future::BoxFuture;
use poem::Request;
use poem_openapi::SecurityScheme;
use poem_openapi::auth::{Bearer, BearerAuthorization};
use serde_json::Value;
use std::fmt::Display;
use store::account_audit::{self, Actor};
use store::audit::{self, Entry};

/// `Authorization: Bearer <operator's token>`. No customer's credential is taken.
#[derive(SecurityScheme)]
#[oai(rename = "operator", ty = "bearer", checker = "authenticate")]
pub struct OperatorAuth(pub OperatorCaller);

/// Paths that show nothing of any single account.
const NOBODYS: [&str; 4] = ["/operator/audit", "/operator/reads", "/operator/report", "/operator/retention"];
/// The next step of whoever sent no operator's token.
const SEND_A_TOKEN: &str = "Send `Authorization: Bearer <operator's token>`.";
/// Characters that are kept of the path and query of a look.
const LONGEST_SEEN: usize = 400;

/// An operator, and the request that they make.
#[derive(Debug, Clone)]
pub struct OperatorCaller {
    name: String,
    role: OperatorRole,
    address: Option<String>,
    /// The value of `X-Request-Id`.
    pub request_id: String,
}

impl OperatorCaller {
    /// Returns the caller of a request: this operator, from its address and under its id.
    pub fn new(operator: &Operator, scope: &Scope) -> Self {
        let address = scope.address.map(|address| address.to_string());
        Self { name: operator.name.clone(), role: operator.role, address, request_id: scope.request_id.clone() }
    }

    /// The operator's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether they may see what customers wrote, sent or made.
    pub fn sees_payloads(&self) -> bool {
        self.role.sees_payloads()
    }

    /// Refuses to select by a customer's name for an operator who sees no names: what is found would tell it.
    ///
    /// # Errors
    /// `role_forbidden`.
    pub fn may_select_by_name(&self) -> Answer<()> {
        if self.sees_payloads() {
            return Ok(());
        }
        let message = format!("Names are hidden from the role {}, so that nothing is found by one.", self.role.name());
        Err(ApiError::new(Code::RoleForbidden, message).suggest("Leave `name` out, or ask by the account's id."))
    }

    /// Writes into the audit log that this request looks at an account's data.
    pub async fn note_look(&self, app: &App, request: &Request) -> Answer<()> {
        let entry = self.entry("view", seen(request));
        in_time(async { audit::record_look(&mut *app.conn().await?, &entry).await }).await
    }

    /// Returns an entry of the audit log for a change.
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

    /// Returns an entry of the account's own log for a change by an operator: neither their name nor their address.
    pub fn account_entry(
        &self,
        account_id: AccountId,
        action: &'static str,
        target: impl Display,
        details: Option<Value>,
    ) -> account_audit::AccountAuditEntry {
        let actor = Actor {
            name: "operator".to_owned(),
            credential: "operator",
            address: None,
            request_id: self.request_id.clone(),
        };
        account_audit::AccountAuditEntry { account_id, actor, action, target: target.to_string(), details }
    }

    /// Returns an entry with the values before and after.
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

/// Boxed, as [`App::conn`] is.
fn authenticate(request: &Request, bearer: Bearer) -> BoxFuture<'_, poem::Result<OperatorCaller>> {
    Box::pin(find_and_judge(request, bearer))
}

async fn find_and_judge(request: &Request, bearer: Bearer) -> poem::Result<OperatorCaller> {
    let app = request.data::<App>().ok_or_else(|| ApiError::internal("the router was built without its App"))?;
    let scope = Scope::of(request);
    let operator = operator_of(app, &scope, &bearer.token).await?;
    let Some(MatchedOperation(operation)) = request.data::<MatchedOperation>() else {
        return Err(ApiError::internal("an operator's route without an operation").into());
    };
    match operation.needs {
        Some(Needs::Operator(role)) => allow(operator, role)?,
        _ => return Err(ApiError::internal(format!("{} is no operator's in table.rs", operation.name())).into()),
    }
    BodyTurn::wait(request, Taker::of(&scope)).await;
    operation.judge(request)?;
    let caller = OperatorCaller::new(operator, &scope);
    if request.method().is_safe() && !NOBODYS.contains(&operation.path.as_str()) {
        caller.note_look(app, request).await?;
    }
    Ok(caller)
}

/// Checks that a request to an endpoint that is no operation of the document has the token of an operator of this role,
/// and returns the operator's own.
///
/// # Errors
/// 401 `unauthenticated`, 403 `role_forbidden`, or 429 `rate_limited` once its address has sent many wrong tokens.
pub async fn require_operator(app: &App, request: &Request, role: OperatorRole) -> Answer<OperatorRole> {
    let Ok(bearer) = <Bearer as BearerAuthorization>::from_request(request) else {
        return Err(ApiError::new(Code::Unauthenticated, "No credential was sent.").suggest(SEND_A_TOKEN));
    };
    let operator = operator_of(app, &Scope::of(request), &bearer.token).await?;
    allow(operator, role)?;
    Ok(operator.role)
}

/// Finds the operator who has this token. No query is made, so a good token passes whatever else its address sends.
async fn operator_of<'a>(app: &'a App, scope: &Scope, token: &str) -> Answer<&'a Operator> {
    let token = CredentialHash::of(token);
    if let Some(operator) = app.operators.find(&token) {
        return Ok(operator);
    }
    app.guesses.refuse(scope, &token).await?;
    Err(count_guess(app, scope).await)
}

/// What a look is at: the path below `/operator` and the query that selects rows. Names and subjects are left out, and
/// so is what turns pages: all pages of a list are one look, and so are those of an item's transcript and its stills.
fn seen(request: &Request) -> String {
    let path = request.uri().path();
    let path = path.strip_prefix(API_PATH).unwrap_or(path);
    let pairs = request.uri().query().unwrap_or_default().split('&').filter_map(|pair| {
        let (name, _) = pair.split_once('=')?;
        match name {
            "limit" | "cursor" | "said" | "moments" | "moment" => None,
            "name" | "oauth_subject" => Some(format!("{name}=…")),
            _ => Some(pair.to_owned()),
        }
    });
    let query = pairs.collect::<Vec<_>>().join("&");
    let whole = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
    whole.chars().take(LONGEST_SEEN).collect()
}

/// The refusal of an unknown operator's token. It is counted and logged as a warning: these tokens open everything.
async fn count_guess(app: &App, scope: &Scope) -> ApiError {
    app.guesses.count(scope).await;
    metrics::counter!("mws_operator_guesses_total").increment(1);
    let address = scope.address.map(|address| address.to_string()).unwrap_or_default();
    tracing::warn!(address, "A credential that is no operator's was sent to an operators' route.");
    ApiError::new(Code::Unauthenticated, "This takes an operator's token, and the credential is none.")
        .suggest(SEND_A_TOKEN)
}

/// Refuses an operator whose role is not enough.
pub fn allow(operator: &Operator, needed: OperatorRole) -> Answer<()> {
    if operator.role >= needed {
        return Ok(());
    }
    let (needed, has) = (needed.name(), operator.role.name());
    Err(ApiError::new(
        Code::RoleForbidden,
        format!("This needs an operator's token of the role {needed}; yours is {has}."),
    ))
}
