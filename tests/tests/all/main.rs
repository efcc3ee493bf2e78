//! The tests of the whole service in one binary, so that they are linked once: a module a theme.

#![expect(
    clippy::match_same_arms,
    clippy::similar_names,
    clippy::format_collect,
    reason = "tables of tests read better so"
)]

mod admission;
mod agent;
mod amplification;
mod attempts;
mod beside;
mod boards;
mod bucket;
mod bucket_faults;
mod calendar;
mod canvases;
mod carried;
mod citations;
mod claims;
mod closed_world;
mod codes;
mod comments;
mod connections;
mod console;
mod contract;
mod credentials;
mod crowds;
mod cut_off;
mod deploy;
mod dispatch;
mod dubs;
mod floors;
mod generated;
mod generation;
mod held_open;
mod imports;
mod jobs;
mod joined;
mod kill;
mod ledger_check;
mod library;
mod library_lists;
mod link_look;
mod link_pages;
mod load;
mod made_once;
mod mcp;
mod media_back;
mod minutes;
mod oauth;
mod once;
mod operators;
mod outage;
mod owners;
mod pictures;
mod plans;
mod portal;
mod providers;
mod pruning;
mod public_links;
mod queue_numbers;
mod quotas;
mod rate;
mod read_only;
mod readings;
mod reads_on_ready;
mod real_cog;
mod refusals;
mod refused_ends;
mod render_ends;
mod renders;
mod research;
mod results;
mod same_price;
mod sdk;
mod search;
mod settings;
mod skills_and_templates;
mod slots;
mod stats;
mod strangers;
mod sweep;
mod tickets;
mod tidy;
mod timelines;
mod tus;
mod upload_ends;
mod uploads;
mod verdict;
mod workspace_plans;
mod workspaces;
