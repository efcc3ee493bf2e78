//! Limits of the posts that research pulls, and how long they are kept (contract §4.10).

/// The most posts of an account, in all its workspaces together.
pub const MOST_POSTS: i64 = 5_000;
/// Days after which a post is deleted, unless somebody keeps it.
pub const UNKEPT_DAYS: i32 = 30;
/// The most posts of one pull.
pub const MOST_PULLED: usize = 50;
/// The most characters of a search.
pub const MOST_QUERY_CHARACTERS: usize = 200;
