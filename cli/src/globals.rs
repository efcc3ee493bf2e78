//! Flags that every command takes.

use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Globals {
    /// Print one JSON document to standard output, the same on and off a terminal.
    #[arg(long, global = true, help_heading = "Global")]
    pub json: bool,
    /// Print only ids, one on each line.
    #[arg(id = "only_ids", long = "ids", global = true, help_heading = "Global", conflicts_with = "json")]
    pub ids: bool,
    /// Print only what was asked for, and errors.
    #[arg(long, short, global = true, help_heading = "Global")]
    pub quiet: bool,
    /// Show each request and where the credentials came from.
    #[arg(long, short, global = true, help_heading = "Global")]
    pub verbose: bool,
    /// Use no colours (as `NO_COLOR`).
    #[arg(long, global = true, help_heading = "Global")]
    pub no_color: bool,
    /// Never ask: fail where an answer is needed.
    #[arg(long, global = true, help_heading = "Global")]
    pub no_input: bool,
    /// Answer all questions with yes.
    #[arg(long, short, global = true, help_heading = "Global")]
    pub yes: bool,
    /// Profile of the configuration file (`$XDG_CONFIG_HOME/mws/config.toml`).
    #[arg(long, global = true, help_heading = "Global", env = "MWS_PROFILE")]
    pub profile: Option<String>,
    /// The API's URL, ending in /api/v1.
    #[arg(long, global = true, help_heading = "Global", env = "MWS_BASE_URL")]
    pub base_url: Option<String>,
    /// File that holds the API key; - for standard input. `MWS_API_KEY` may hold the key itself.
    #[arg(long, global = true, help_heading = "Global", env = "MWS_API_KEY_FILE")]
    pub api_key_file: Option<PathBuf>,
    /// Give up after this long, such as 90s, 30m or 2h.
    #[arg(long, global = true, help_heading = "Global", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Data folder of `mws up`, where its credentials are.
    #[arg(long, global = true, help_heading = "Global", env = "MWS_DATA_DIR", default_value = ".mws")]
    pub data_dir: PathBuf,
}

/// Parses `90s`, `30m`, `2h` or `7d`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no duration: write 90s, 30m, 2h or 7d");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_number_and_a_unit() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("2h"), Ok(Duration::from_hours(2)));
        for wrong in ["", "s", "90", "1.5h", "-1s", "5 m", "99999999999999999999d", "9é"] {
            assert!(duration(wrong).is_err(), "{wrong:?}");
        }
    }
}
