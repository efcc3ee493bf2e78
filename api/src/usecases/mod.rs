//! What the service does when it is asked, apart from how it is asked: `dispatch` starts jobs, `starting` is what the
//! tools that do so share, `once` keeps a call from being done twice, and `quotas` bound what it may make.

mod account_audit;
pub mod balance;
pub mod dispatch;
pub mod jobs;
pub mod keys;
pub mod library;
pub mod once;
pub mod operator;
pub mod projects;
pub mod quotas;
pub mod search_footage;
pub mod starting;
pub mod uploads;
pub mod webhooks;
