//! What each operation does, apart from how it is requested and answered. Transactions begin here, and nowhere above
//! (`tests/all/floors`); what follows a commit is done here too.
//!
//! `dispatch` starts jobs, and the tools that do so share `starting`; `once` keeps a call from being done twice,
//! `quotas` limit what it may make, and `charge` counts a large call as several; `documents` keeps what people edit in
//! steps, `saved` what they write whole, by its name, and `op_refs` looks up the items that edits name. `round_robin`
//! says whose work a task of the api does next. The rest is one module for each subject; `operator` is for the
//! operators of the deployment.

mod account_audit;
pub mod balance;
pub mod boards;
pub mod brand_kit;
pub mod calendar;
pub mod calendar_feeds;
pub mod canvases;
mod charge;
pub mod comments;
pub mod dispatch;
pub mod document_edits;
pub mod document_reads;
pub mod documents;
pub mod dubs;
pub mod gone;
pub mod import_timeline;
pub mod jobs;
pub mod keys;
pub mod library;
pub mod once;
pub mod op_refs;
pub mod operator;
pub mod portal;
pub mod projects;
pub mod public_links;
pub mod quotas;
pub mod reads_on_ready;
pub mod research;
pub mod round_robin;
pub mod saved;
pub mod search_footage;
pub mod settings;
pub mod skills;
pub mod starting;
pub mod templates;
pub mod timelines;
pub mod uploads;
mod variants;
pub mod webhooks;
pub mod workspaces;
