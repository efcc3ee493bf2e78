//! The server's settings, given on its command line at every start, so that a new release changes them for existing
//! clusters too. The cluster's own `postgresql.conf` stays as initdb wrote it.

use std::path::Path;

use super::{Durability, Options, PORT};

/// The settings of every embedded server.
const COMMON: [(&str, &str); 11] = [
    ("listen_addresses", ""),
    ("unix_socket_permissions", "0700"),
    ("max_connections", "200"),
    ("shared_buffers", "128MB"),
    // Asking for huge pages fails noisily in most containers.
    ("huge_pages", "off"),
    // Every query here is short: compiling one costs more than running it.
    ("jit", "off"),
    ("wal_compression", "on"),
    ("autovacuum_naptime", "15s"),
    ("log_line_prefix", "%m [%p] "),
    // A failed statement's values may be secrets: they stay out of the log.
    ("log_parameter_max_length_on_error", "0"),
    ("cluster_name", "mws"),
];

const DURABLE: [(&str, &str); 3] = [("fsync", "on"), ("max_wal_size", "1GB"), ("checkpoint_timeout", "15min")];

/// With these settings a crash of the machine loses everything.
const TESTS: [(&str, &str); 9] = [
    // Several tests at once, each with a fleet of its own, of which some have four workers and two schedulers.
    ("max_connections", "1000"),
    ("fsync", "off"),
    ("synchronous_commit", "off"),
    ("full_page_writes", "off"),
    ("wal_level", "minimal"),
    ("max_wal_senders", "0"),
    ("max_wal_size", "4GB"),
    ("checkpoint_timeout", "1h"),
    // Every copy of a database is one.
    ("log_checkpoints", "off"),
];

/// Returns all settings in the order in which they are given. The last one of a name counts, so the caller's come last.
pub(super) fn all(options: &Options, socket_dir: &Path, rules: &Path) -> Vec<(String, String)> {
    let durability: &[(&str, &str)] = match options.durability {
        Durability::Full => &DURABLE,
        Durability::Tests => &TESTS,
    };
    let fixed = COMMON.iter().chain(durability).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    fixed
        .chain([("port".to_owned(), PORT.to_string()), ("unix_socket_directories".to_owned(), quoted(socket_dir))])
        .chain([("hba_file".to_owned(), rules.display().to_string())])
        .chain(options.settings.iter().cloned())
        .collect()
}

/// The setting is a list: quotes keep a comma or a space in the path from splitting it.
fn quoted(socket_dir: &Path) -> String {
    format!("\"{}\"", socket_dir.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(options: &Options, name: &str) -> String {
        let all = all(options, Path::new("/run/a b"), Path::new("/srv/pg_hba.conf"));
        all.iter().rev().find(|(found, _)| found == name).unwrap().1.clone()
    }

    #[test]
    fn only_tests_go_without_fsync() {
        let mut options = Options::new("/srv");
        assert_eq!(value_of(&options, "fsync"), "on");
        options.durability = Durability::Tests;
        assert_eq!(value_of(&options, "fsync"), "off");
    }

    #[test]
    fn the_callers_settings_win() {
        let mut options = Options::new("/srv");
        options.settings.push(("max_connections".to_owned(), "30".to_owned()));
        assert_eq!(value_of(&options, "max_connections"), "30");
        assert_eq!(value_of(&options, "unix_socket_directories"), "\"/run/a b\"");
    }
}
