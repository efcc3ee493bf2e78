//! The codes that each operation may refuse with: those that all share, and those that its group lists.

use crate::contract::access::Needs;
use crate::contract::idempotency::Repeat;
use crate::contract::operation::RUN_TEMPLATE;
use crate::contract::table;
use crate::http::error::Code;
use crate::routes::ERRORS;
use std::collections::BTreeMap;

/// Codes of every operation.
const ALWAYS: &[Code] = &[
    Code::InvalidRequest,
    Code::RateLimited,
    Code::Internal,
    Code::Unavailable,
    Code::DatabaseUnavailable,
    Code::ShuttingDown,
];
/// Codes of an operation that takes a customer's credential.
const AUTHENTICATED: &[Code] = &[
    Code::Unauthenticated,
    Code::CredentialRevoked,
    Code::TokenExpired,
    Code::WorkspaceForbidden,
    Code::KeyWrongWorkspace,
    Code::AccountSuspended,
    Code::UserDisabled,
];
/// Codes of an operation that takes a JSON body.
const WITH_BODY: &[Code] = &[Code::InvalidJson, Code::RequestTooLarge, Code::UnsupportedMediaType];

/// The codes that the operation's group lists for it; none when it lists nothing, which a test refuses.
pub fn own(operation: &str) -> Option<&'static [Code]> {
    ERRORS.iter().copied().flatten().find(|(named, _)| *named == operation).map(|(_, codes)| *codes)
}

/// All codes of an operation, by HTTP status.
pub fn by_status(operation: &str, takes_body: bool) -> BTreeMap<u16, Vec<Code>> {
    let mut by_status = BTreeMap::<u16, Vec<Code>>::new();
    for code in codes(operation, takes_body) {
        by_status.entry(code.status().as_u16()).or_default().push(code);
    }
    by_status
}

/// All codes of an operation, each once and in their order.
fn codes(operation: &str, takes_body: bool) -> Vec<Code> {
    let mut codes: Vec<Code> = ALWAYS.to_vec();
    let row = table::find(operation);
    let needs = row.map_or(Needs::Nothing, |row| row.needs);
    match needs {
        Needs::Nothing => {}
        Needs::Operator(_) => codes.push(Code::Unauthenticated),
        Needs::Account | Needs::AccountWithoutSession | Needs::OwnerWithoutSession | Needs::Workspace(_) => {
            codes.extend(AUTHENTICATED);
        }
    }
    codes.extend(needs.refusals());
    if row.and_then(|row| row.repeat) == Some(Repeat::Kept) {
        codes.extend([Code::IdempotencyInProgress, Code::IdempotencyKeyReused]);
    }
    if takes_body {
        codes.extend(WITH_BODY);
    }
    codes.extend(own(operation).unwrap_or_default());
    if operation.strip_prefix("POST ") == Some(RUN_TEMPLATE) {
        // It may refuse with any code of the tool that it calls.
        let tools = ERRORS.iter().copied().flatten().filter(|(named, _)| named.starts_with("POST /tools/"));
        codes.extend(tools.flat_map(|(_, codes)| *codes));
        codes.extend([Code::RoleForbidden, Code::SessionNotAllowed]);
    }
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Whether the operation may start cloud processing: those that may refuse with too few minutes.
pub fn uses_minutes(operation: &str) -> bool {
    own(operation).is_some_and(|codes| codes.contains(&Code::InsufficientMinutes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;
    use std::collections::BTreeSet;

    #[test]
    fn every_operation_lists_its_refusals_and_every_list_is_of_an_operation() {
        let operations: BTreeSet<String> = document().operations().iter().map(|operation| operation.name()).collect();
        let listed: BTreeSet<String> = ERRORS.iter().copied().flatten().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(operations, listed);
    }

    #[test]
    fn no_two_codes_share_a_name() {
        let names: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
    }
}
