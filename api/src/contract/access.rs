//! What an operation may need of its caller (contract §5, §5.6), and the refusals that this leads to. `table` says
//! which operation needs what.

use crate::http::error::Code;
use Needs::{Account, AccountWithoutSession, Nothing, Operator, OwnerWithoutSession, Workspace};
use domain::operator::OperatorRole::{self, Act, Metadata, Read};
use domain::role::Role;

/// What an operation needs of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// No credential: the request itself proves enough, such as by a signed link.
    Nothing,
    /// A credential of the account that it acts on; a role in a workspace is not looked at.
    Account,
    /// As `Account`, but no script session's token (contract §5.3.4).
    AccountWithoutSession,
    /// An owner of the workspace that the call acts in, and no script session's token.
    OwnerWithoutSession,
    /// At least this role in the workspace that the call acts in.
    Workspace(Role),
    /// An operator's token that allows this.
    Operator(OperatorRole),
}

impl Needs {
    /// The codes of the refusals that these needs lead to, beside those of every credential.
    pub const fn refusals(self) -> &'static [Code] {
        match self {
            Nothing | Account | Workspace(Role::Viewer) | Operator(Metadata) => &[],
            AccountWithoutSession => &[Code::SessionNotAllowed],
            OwnerWithoutSession => &[Code::SessionNotAllowed, Code::RoleForbidden],
            Workspace(Role::Editor | Role::Owner) | Operator(Read | Act) => &[Code::RoleForbidden],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;

    #[test]
    fn an_operation_takes_the_credential_that_it_needs() {
        for operation in document().operations() {
            let needs = operation.needs.expect("a row");
            let taken = document().json["paths"][&operation.path][operation.method.as_str().to_lowercase()]
                .pointer("/security/0")
                .and_then(|scheme| scheme.as_object()?.keys().next().cloned());
            let wanted = match needs {
                Nothing => None,
                Operator(_) => Some("operator"),
                Account | AccountWithoutSession | OwnerWithoutSession | Workspace(_) => Some("bearer"),
            };
            assert_eq!(taken.as_deref(), wanted, "{}", operation.name());
        }
    }
}
