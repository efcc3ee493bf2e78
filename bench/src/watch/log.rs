//! What the server's log says of its checkpoints and of its vacuums, each with its moment (UTC).

use std::fs;
use std::path::Path;

/// What the entries begin with, behind their moment and process.
const TOLD: [&str; 2] = ["LOG:  checkpoint ", "LOG:  automatic "];
/// Further lines of a vacuum's entry that are told with it.
const MORE: [&str; 2] = ["WAL usage:", "system usage:"];

/// Returns the length of the log in bytes.
pub fn length(file: &Path) -> anyhow::Result<usize> {
    Ok(usize::try_from(fs::metadata(file)?.len())?)
}

/// Returns the entries behind this length, each as one line.
pub fn since(file: &Path, length: usize) -> anyhow::Result<Vec<String>> {
    let bytes = fs::read(file)?;
    let text = String::from_utf8_lossy(bytes.get(length..).unwrap_or_default());
    let (mut entries, mut is_told): (Vec<String>, bool) = (Vec::new(), false);
    for line in text.lines() {
        // An entry goes on behind a tab.
        let Some(more) = line.strip_prefix('\t') else {
            is_told = TOLD.iter().any(|begin| line.contains(begin));
            entries.extend(is_told.then(|| line.to_owned()));
            continue;
        };
        if is_told
            && MORE.iter().any(|begin| more.starts_with(begin))
            && let Some(entry) = entries.last_mut()
        {
            entry.push_str("; ");
            entry.push_str(more);
        }
    }
    Ok(entries)
}
