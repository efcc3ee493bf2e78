//! All SQL of the service: one file per noun, one function per statement, checked by the compiler.
//!
//! Functions take a connection and never begin or commit: each use case opens its transaction in one place. A state
//! change is one conditional update that names the state it leaves. Nothing here decides: rules are in `domain`.

pub mod account_audit;
pub mod accounts;
pub mod attempts;
pub mod audit;
mod away;
pub mod bulk_operations;
pub mod calendar;
pub mod calendar_feeds;
pub mod comments;
mod connect;
pub mod console_passes;
pub mod credentials;
pub mod credits;
pub mod deliveries;
pub mod documents;
pub mod dubs;
pub mod due;
pub mod endpoints;
pub mod erasure;
pub mod event_stream;
pub mod events;
pub mod fleet;
pub mod footage;
pub mod generations;
pub mod idempotency;
pub mod inspect;
pub mod invariants;
pub mod items;
pub mod jobs;
pub mod journal;
pub mod keys;
pub mod ledger;
pub mod media_folder;
pub mod members;
mod migrations;
pub mod minutes;
pub mod new_item;
pub mod notices;
pub mod operator_notices;
pub mod overview;
pub mod paces;
pub mod portal_passes;
pub mod posts;
pub mod project_runs;
pub mod project_webhooks;
pub mod projects;
pub mod public_links;
pub mod queues;
pub mod reads;
pub mod reads_on_ready;
mod refusal;
pub mod renders;
pub mod retention;
pub mod sessions;
pub mod sizes;
pub mod statement;
pub mod suspension;
pub mod terms;
pub mod tickets;
pub mod totals;
pub mod uploads;
pub mod usage;
pub mod users;
pub mod verdict;
pub mod wakes;
pub mod webhook_secrets;
mod window;
pub mod workspaces;

pub use away::{is_away, is_lent_by_transaction, is_read_only, waited_too_long};
pub use connect::{
    PoolSize, apart, apart_for_pages, async_commit_pool, connect, connect_lazily, generic_plan_pool,
    generic_plan_pool_for_transactions, kept_open, listen_pool, notify_pool, ping,
};
pub use migrations::{migrate, pending_migrations};
pub use refusal::is_refused_for_good;
pub use window::{Seen, WINDOW};
