//! The tests of the whole service in one binary, so that they are linked once: a module a theme.

mod admission;
mod attempts;
mod beside;
mod closed_world;
mod codes;
mod connections;
mod credentials;
mod cut_off;
mod dispatch;
mod generated;
mod jobs;
mod kill;
mod load;
mod mcp;
mod minutes;
mod oauth;
mod once;
mod operators;
mod outage;
mod owners;
mod rate;
mod readings;
mod refusals;
mod renders;
mod strangers;
mod tidy;
