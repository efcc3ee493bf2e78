//! The tests of the whole service in one binary, so that they are linked once: a module a theme.

mod admission;
mod attempts;
mod beside;
mod cut_off;
mod dispatch;
mod jobs;
mod joined;
mod kill;
mod load;
mod minutes;
mod once;
mod outage;
mod owners;
mod pictures;
mod readings;
mod refusals;
mod results;
mod search;
mod tidy;
