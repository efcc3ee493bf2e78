//! Who calls, in which workspace and as what, and what they are refused for it.

use crate::contract::access::Needs;
use crate::http::error::{Answer, ApiError, Code};
use domain::ids::{AccountId, KeyId, UserId, WorkspaceId};
use domain::role::Role;
use std::net::IpAddr;
use store::credentials::CallerIdentity;
use store::jobs::Rerun;

/// The sender of a request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The account that pays: the credential's own.
    pub account_id: AccountId,
    /// The workspace that the call acts in.
    pub workspace: CallerWorkspace,
    /// The kind of its credential.
    pub credential: CredentialKind,
    /// The user, when the credential stands for one.
    pub user_id: Option<UserId>,
    /// The key, or the key behind the session.
    pub key_id: Option<KeyId>,
    /// The workspaces that the user let an OAuth connection into; none means all that the user can reach.
    pub allowed_workspaces: Option<Vec<WorkspaceId>>,
    /// The value of `X-Request-Id`.
    pub request_id: String,
    /// W3C trace context: of our own span where traces are sent, else the client's.
    pub traceparent: Option<String>,
    /// The address that the request came from.
    pub address: Option<IpAddr>,
    /// Which job an operator has run again by this call; none for a call of the caller's own.
    pub rerun: Option<Box<Rerun>>,
}

/// The workspace a call acts in.
#[derive(Debug, Clone, Copy)]
pub struct CallerWorkspace {
    /// The workspace.
    pub id: WorkspaceId,
    /// The account that owns it, whose webhooks tell of its jobs.
    pub account_id: AccountId,
    /// The caller's role in it.
    pub role: Role,
}

/// A kind of credential (contract §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialKind {
    /// An API key.
    ApiKey,
    /// A script session's token.
    Session,
    /// An OAuth access token.
    OAuth,
    /// A browser's session in the portal.
    Portal,
}

impl Caller {
    /// A caller with an editor's role, for work that goes on after the request that allowed it, such as a run.
    pub fn of(by: CallerIdentity, request_id: String, traceparent: Option<String>) -> Self {
        Self {
            account_id: by.account_id,
            workspace: CallerWorkspace { id: by.workspace_id, account_id: by.workspace_account_id, role: Role::Editor },
            credential: if by.user_id.is_some() { CredentialKind::OAuth } else { CredentialKind::ApiKey },
            user_id: by.user_id,
            key_id: by.key_id,
            allowed_workspaces: None,
            request_id,
            traceparent,
            address: None,
            rerun: None,
        }
    }

    /// Who the caller is, stored so that it can be checked later whether they may still do this.
    pub fn identity(&self) -> CallerIdentity {
        CallerIdentity {
            account_id: self.account_id,
            workspace_id: self.workspace.id,
            workspace_account_id: self.workspace.account_id,
            key_id: self.key_id,
            user_id: self.user_id,
        }
    }

    /// Refuses a caller whose role in the workspace is lower. What an operation always needs is in `access`; this is
    /// for one that needs more only sometimes.
    pub fn require(&self, role: Role) -> Answer<()> {
        if self.workspace.role >= role {
            return Ok(());
        }
        let (needed, has) = (role.name(), self.workspace.role.name());
        Err(ApiError::new(
            Code::RoleForbidden,
            format!("This needs the role {needed} in {}; yours is {has}.", self.workspace.id),
        ))
    }

    /// Refuses a script session's token (contract §5.3.4). Which operations do is in `access`.
    pub fn refuse_session(&self) -> Answer<()> {
        if self.credential != CredentialKind::Session {
            return Ok(());
        }
        let refusal = ApiError::new(Code::SessionNotAllowed, "A script session token may not do this.");
        Err(refusal.suggest("Use an API key or sign in."))
    }
}

impl Needs {
    /// Refuses a caller who does not meet this.
    ///
    /// # Errors
    /// 403 `role_forbidden` or `session_not_allowed`.
    pub fn judge(self, caller: &Caller) -> Answer<()> {
        match self {
            Self::Nothing | Self::Account => Ok(()),
            Self::AccountWithoutSession => caller.refuse_session(),
            Self::OwnerWithoutSession => caller.refuse_session().and_then(|()| caller.require(Role::Owner)),
            Self::Workspace(role) => caller.require(role),
            Self::Operator(_) => Err(ApiError::internal("an operator's route took a customer's credential")),
        }
    }
}
