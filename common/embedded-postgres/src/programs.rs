//! Finds the folder with PostgreSQL's programs `postgres` and `initdb`.
//!
//! It looks in `PG_BIN_DIR`, then in `PATH`, then in the folders where distributions and Homebrew put them: Debian
//! keeps them out of `PATH`. A folder found in `PATH` is canonicalised, since the programs look for their libraries and
//! for `share` beside the real file.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::{During, EmbeddedError};

/// Folders to look in; `*` stands for the version.
const USUAL_PLACES: [(&str, &str); 5] = [
    ("/usr/lib/postgresql", "*/bin"),
    ("/usr", "pgsql-*/bin"),
    ("/opt/homebrew/opt", "postgresql@*/bin"),
    ("/usr/local/opt", "postgresql@*/bin"),
    ("/usr/local", "pgsql/bin"),
];

/// Returns the folder with the server's programs.
pub(super) fn find() -> Result<PathBuf, EmbeddedError> {
    let found = find_in(env::var_os("PG_BIN_DIR").as_deref(), env::var_os("PATH").as_deref(), &usual_places())?;
    fs::canonicalize(&found).during("find", &found)
}

fn find_in(bin_dir: Option<&OsStr>, path: Option<&OsStr>, usual: &[PathBuf]) -> Result<PathBuf, EmbeddedError> {
    if let Some(named) = bin_dir.filter(|named| !named.is_empty()).map(PathBuf::from) {
        return if holds_server(&named) { Ok(named) } else { Err(EmbeddedError::NotInBinDir(named)) };
    }
    let on_path = path.into_iter().flat_map(env::split_paths).filter_map(|folder| {
        let program = fs::canonicalize(folder.join("postgres")).ok()?;
        program.parent().map(Path::to_path_buf)
    });
    on_path
        .chain(usual.iter().cloned())
        .find(|folder| holds_server(folder))
        .ok_or(EmbeddedError::ProgramsMissing { install: install_command() })
}

fn holds_server(folder: &Path) -> bool {
    folder.join("postgres").is_file() && folder.join("initdb").is_file()
}

/// Returns the usual folders that exist, the newest version first within each.
fn usual_places() -> Vec<PathBuf> {
    USUAL_PLACES.iter().flat_map(|(base, pattern)| versions(Path::new(base), pattern)).collect()
}

fn versions(base: &Path, pattern: &str) -> Vec<PathBuf> {
    let (folder, rest) = pattern.split_once('/').unwrap_or((pattern, ""));
    let Some(prefix) = folder.strip_suffix('*') else {
        return vec![base.join(folder).join(rest)];
    };
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir(base)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.strip_prefix(prefix)?.parse().ok()?;
            Some((version, entry.path().join(rest)))
        })
        .collect();
    found.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    found.into_iter().map(|(_, folder)| folder).collect()
}

fn install_command() -> &'static str {
    if cfg!(target_os = "macos") {
        "brew install postgresql@17"
    } else if Path::new("/usr/bin/dnf").exists() {
        "dnf install postgresql-server postgresql-contrib"
    } else if Path::new("/sbin/apk").exists() {
        "apk add postgresql postgresql-contrib"
    } else {
        "apt-get install postgresql"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with_programs(root: &Path, name: &str) -> PathBuf {
        let folder = root.join(name);
        fs::create_dir_all(&folder).unwrap();
        for program in ["postgres", "initdb"] {
            fs::write(folder.join(program), "").unwrap();
        }
        folder
    }

    #[test]
    fn the_named_folder_wins_over_the_path_and_the_usual_places() {
        let root = tempfile::tempdir().unwrap();
        let named = folder_with_programs(root.path(), "named");
        let on_path = folder_with_programs(root.path(), "on-path");
        let found = find_in(Some(named.as_os_str()), Some(on_path.as_os_str()), &[]).unwrap();
        assert_eq!(found, named);
    }

    #[test]
    fn a_link_on_the_path_leads_to_the_real_folder() {
        let root = tempfile::tempdir().unwrap();
        let real = folder_with_programs(root.path(), "real");
        let links = root.path().join("links");
        fs::create_dir(&links).unwrap();
        std::os::unix::fs::symlink(real.join("postgres"), links.join("postgres")).unwrap();
        let found = find_in(None, Some(links.as_os_str()), &[]).unwrap();
        assert_eq!(found, fs::canonicalize(real).unwrap());
    }

    #[test]
    fn the_newest_version_is_tried_first() {
        let root = tempfile::tempdir().unwrap();
        for version in ["9", "15", "17"] {
            folder_with_programs(root.path(), &format!("{version}/bin"));
        }
        let found = find_in(None, None, &versions(root.path(), "*/bin")).unwrap();
        assert_eq!(found, root.path().join("17/bin"));
    }

    #[test]
    fn a_missing_server_says_how_to_install_it() {
        let error = find_in(None, Some(OsStr::new("/nowhere")), &[]).unwrap_err().to_string();
        assert!(error.contains(install_command()), "{error}");
        assert!(error.contains("PG_BIN_DIR") && error.contains("DATABASE_URL"));
    }

    #[test]
    fn a_wrong_pg_bin_dir_is_named() {
        let error = find_in(Some(OsStr::new("/nowhere")), None, &[]).unwrap_err().to_string();
        assert!(error.contains("PG_BIN_DIR is /nowhere"));
    }
}
