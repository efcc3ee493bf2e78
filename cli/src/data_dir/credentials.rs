//! `credentials.json`: the service's URL and the credentials of its clients (`mws up --help`).

use super::private_file;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;

/// The URLs and credentials that `mws up` stores for clients on this machine.
#[derive(Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct Credentials {
    /// The URL that every path of the interface is below; ends in `/api/v1`.
    pub base_url: String,
    /// A key of the account.
    pub api_key: String,
    /// The id of the account that `mws up` made.
    pub account_id: String,
    /// The id of its workspace, which the key works in.
    pub workspace_id: String,
    /// The operator's bearer token.
    pub operator_token: String,
    /// The URL that operators' paths are below, if they have a port of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator_base_url: Option<String>,
}

impl Credentials {
    pub(super) fn read(path: &Path) -> anyhow::Result<Option<Self>> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("{} can't be read", path.display())),
        };
        let read = serde_json::from_str(&text);
        let read = read.with_context(|| format!("{} is not what `mws up` wrote: remove it", path.display()))?;
        Ok(Some(read))
    }

    pub(super) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self).context("the credentials can't be written as JSON")?;
        private_file::write(path, &(text + "\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_and_a_file_of_another_kind_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.json");
        assert!(Credentials::read(&path).unwrap().is_none());
        let written = Credentials {
            base_url: "http://127.0.0.1:8080/api/v1".to_owned(),
            api_key: "es_live_x".to_owned(),
            account_id: "acc_1".to_owned(),
            workspace_id: "wsp_1".to_owned(),
            operator_base_url: None,
            operator_token: "eso_1".to_owned(),
        };
        written.write(&path).unwrap();
        assert!(Credentials::read(&path).unwrap() == Some(written));
        std::fs::write(&path, "{}").unwrap();
        assert!(Credentials::read(&path).is_err());
    }
}
