//! The roles that people have in a workspace (contract §2 "Workspace", §5).
//!
//! This file defines their order. The api's `contract::table` says which operation needs which role, and the store
//! knows who has which.

use std::fmt;

/// A role in a workspace; each may do all that the ones before it may (contract §5.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Role {
    /// May read what is in the workspace.
    Viewer,
    /// May also start work.
    Editor,
    /// May also manage members.
    Owner,
}

impl Role {
    /// All roles, from the least to the most powerful.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Editor, Self::Owner];

    /// Returns the role's name in answers and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Owner => "owner",
        }
    }

    /// Returns the role of this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_may_do_what_an_editor_may_and_an_editor_what_a_viewer_may() {
        assert!(Role::ALL.is_sorted());
        assert!(Role::Owner > Role::Editor && Role::Editor > Role::Viewer);
        assert!(Role::ALL.into_iter().all(|role| Role::from_name(role.name()) == Some(role)));
        assert_eq!(Role::from_name("Owner"), None);
    }
}
