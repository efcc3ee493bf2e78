//! The tests of the whole service in one binary, so that they are linked once: a module a theme.

mod admission;
mod attempts;
mod beside;
mod cut_off;
mod dispatch;
mod jobs;
mod kill;
mod load;
mod minutes;
mod once;
mod outage;
mod owners;
mod readings;
mod refusals;
mod render_ends;
mod renders;
mod tidy;
