//! Posts that research pulls: how many are kept, and for how long (contract §4.10).

/// Posts of an account's workspaces, together.
pub const MOST_POSTS: i64 = 5_000;
/// Days that a post stays which nobody keeps.
pub const UNKEPT_DAYS: i32 = 30;
/// Posts of one pull.
pub const MOST_PULLED: usize = 50;
/// Characters of a search.
pub const MOST_QUERY_CHARACTERS: usize = 200;
