//! Checks of this machine: engines, the media store, the disk, and the secrets.

use super::finding::Finding;
use crate::output::counted;
use bytes::Bytes;
use domain::ids::MediaFolderId;
use domain::read::Read;
use domain::task::Task;
use domain::verdict::thresholds::LITTLE_FREE_PERCENT;
use runtime::chat::ChatClient;
use runtime::config::{Confinement, Settings};
use runtime::media::{MediaError, MediaStore, WrongFolder};
use runtime::providers::Providers;
use store::generations::FailingMaker;
use worker::readers::{MediaTools, NoDecoder, Readers};
use worker::renders::Renderer;

/// The object that is written and deleted as a test.
const PROBE: &str = "doctor/probe";
const PROBE_BYTES: &[u8] = b"mws doctor";

/// Runs every check of the machine. The database has told which models' providers answer nothing, `failing`, and the id
/// of the folder that its media is in, if it knows one.
pub(super) async fn findings(
    settings: &Settings,
    failing: &[FailingMaker],
    folder: Option<MediaFolderId>,
) -> Vec<Finding> {
    let mut findings = vec![engines(settings), decoders(settings), own_media(settings, folder).await];
    findings.extend(providers(settings, failing));
    findings.extend(disk(settings));
    findings.push(secrets(settings));
    findings
}

fn engines(settings: &Settings) -> Finding {
    let found = Readers::found(&worker::reader_settings(settings));
    match found.no_decoder() {
        Some(NoDecoder::Missing) => {
            let cure = "apt install ffmpeg";
            return Finding::problem("machine", "ffmpeg or ffprobe not found: no read can run here", cure);
        }
        Some(NoDecoder::Unconfined { .. }) => {
            return Finding::problem("machine", "no read can run here", "see `decoders`");
        }
        None => {}
    }
    let words = |read: Read| found.get(read).map(|reader| format!("{} ({})", read.name(), reader.engine().name)).ok();
    let renderer = found.tools().and_then(|tools| Renderer::found(&tools));
    let render = renderer.as_ref().map(|renderer| format!("{} ({})", Task::Render, renderer.engine().name));
    let names: Vec<String> = found.reads().into_iter().filter_map(words).chain(render).collect();
    let unread = Read::ALL.into_iter().filter(|read| found.get(*read).is_err()).map(Read::name);
    let missing: Vec<&str> = unread.chain(renderer.is_none().then_some(Task::Render.name())).collect();
    let pairs = worker::translated_pairs();
    let dub = if pairs.is_empty() { "none".to_owned() } else { pairs.join(", ") };
    let value = format!("{}, {} (apertium: {dub})", names.join(", "), Task::Dub);
    if missing.is_empty() {
        return Finding::fine("machine", value);
    }
    let cure = "`make setup` installs what the built-in engines need; another worker may run the rest";
    Finding::warning("machine", format!("{value}; none for {}", missing.join(", ")), cure)
}

/// The models of providers, with those that are failing, and the one that works on projects; none where no models are
/// configured here and none is failing.
fn providers(settings: &Settings, failing: &[FailingMaker]) -> Option<Finding> {
    if settings.providers.is_none() && settings.agent.is_none() {
        let all: Vec<&FailingMaker> = failing.iter().collect();
        return (!all.is_empty()).then(|| judged("no models are configured here".to_owned(), &all));
    }
    let found = settings.providers.as_deref().map_or_else(|| Ok(Providers::default()), Providers::load);
    let providers = match found.and_then(|providers| providers.check_keys().map(|()| providers)) {
        Ok(providers) => providers,
        Err(error) => {
            let cure = "docs/generation.md says what the file holds";
            return Some(Finding::problem("providers", error.to_string(), cure));
        }
    };
    let ids: Vec<&str> = providers.all().iter().map(|model| model.id.as_str()).collect();
    let models = format!("{}: {}", counted(ids.len(), "model"), ids.join(", "));
    let value = match ChatClient::configured(settings, &providers) {
        Ok(None) => models,
        Ok(Some(agent)) => format!("{models}; {} works on projects", agent.model().id),
        Err(error) => {
            let cure = "docs/projects.md says which model works on them";
            return Some(Finding::problem("providers", error.to_string(), cure));
        }
    };
    // A model that is no longer in the file is not listed to callers either.
    let here: Vec<&FailingMaker> = failing.iter().filter(|one| providers.get(&one.name).is_some()).collect();
    Some(judged(value, &here))
}

/// What is configured, with a warning that names each model whose provider answers nothing.
fn judged(value: String, failing: &[&FailingMaker]) -> Finding {
    if failing.is_empty() {
        return Finding::fine("providers", value);
    }
    let since = |one: &&FailingMaker| {
        let since = one.since.format("%Y-%m-%d %H:%M:%S UTC");
        format!("the provider of {} has answered nothing since {since}", one.name)
    };
    let silent: Vec<String> = failing.iter().map(since).collect();
    let cure = "see that it runs and is reached from the workers' hosts, and look at the model's `url`, `key_env` or \
                `key_file` in the file that MWS_PROVIDERS names; the worker's log tells of a key that is refused";
    Finding::warning("providers", format!("{value}; {}", silent.join(", ")), cure)
}

/// How decoders are confined on this machine.
fn decoders(settings: &Settings) -> Finding {
    match MediaTools::found(&worker::reader_settings(settings)) {
        Ok(tools) => match tools.confinement() {
            level @ (Confinement::Full | Confinement::Filtered) => {
                Finding::fine("decoders", format!("confined: {}", level.name()))
            }
            Confinement::None => {
                let cure = "docs/confinement.md says what a machine needs to confine them";
                Finding::warning("decoders", "not confined: a hostile file may reach all that the service can", cure)
            }
        },
        Err(why) => Finding::problem("decoders", why.to_string(), "docs/confinement.md says what a machine needs"),
    }
}

/// Looks whether the media store is the one that the database's media is in, by the id that this knows, and then as
/// `media` does.
async fn own_media(settings: &Settings, folder: Option<MediaFolderId>) -> Finding {
    let url = settings.media_store_url();
    match wrong_folder(settings, &url, folder).await {
        Ok(Some(wrong)) => return Finding::problem("media", wrong.to_string(), wrong.cure()),
        Err(error) => return Finding::problem("media", format!("{url}: {error}"), error.cure()),
        Ok(None) => {}
    }
    if !is_there(settings) {
        return Finding::warning("media", format!("{url} is not there yet"), "`mws up` makes it");
    }
    media(settings).await
}

/// Whether the folder for media is there, if it is the usual one: opening it would make it.
fn is_there(settings: &Settings) -> bool {
    settings.media_store.is_some() || settings.data_dir.join("media").exists()
}

async fn wrong_folder(
    settings: &Settings,
    url: &str,
    expected: Option<MediaFolderId>,
) -> Result<Option<WrongFolder>, MediaError> {
    let Some(expected) = expected else { return Ok(None) };
    if !is_there(settings) {
        return Ok(Some(WrongFolder { folder: settings.data_dir.join("media"), found: None, expected }));
    }
    MediaStore::open(url)?.wrong_folder(expected).await
}

/// Writes an object to the media store, reads it and deletes it.
pub(crate) async fn media(settings: &Settings) -> Finding {
    let url = settings.media_store_url();
    match write_read_delete(&url).await {
        Ok(true) => Finding::fine("media", format!("{url}: written, read and deleted")),
        Ok(false) => Finding::problem("media", format!("{url}: other bytes came back"), "check the store's storage"),
        Err(error) => Finding::problem("media", format!("{url}: {error}"), error.cure()),
    }
}

async fn write_read_delete(url: &str) -> Result<bool, MediaError> {
    let store = MediaStore::open(url)?;
    store.put(PROBE, Bytes::from_static(PROBE_BYTES)).await?;
    let read = store.get(PROBE, 1 << 10).await;
    store.delete(PROBE).await?;
    Ok(read?.as_ref() == PROBE_BYTES)
}

/// The free space of the data folder; none when it is unknown.
fn disk(settings: &Settings) -> Option<Finding> {
    let found = rustix::fs::statvfs(&settings.data_dir).ok()?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let percent = found.f_bavail.saturating_mul(100).checked_div(found.f_blocks)?;
    let folder = settings.data_dir.display();
    let value = format!("{percent} % ({} GiB) free under {folder}", free >> 30);
    Some(if percent >= u64::from(LITTLE_FREE_PERCENT) {
        Finding::fine("disk", value)
    } else {
        Finding::warning("disk", value, "free some space, or move the data folder (MWS_DATA_DIR)")
    })
}

fn secrets(settings: &Settings) -> Finding {
    let named = [
        ("MWS_SECRET_KEY", &settings.secret_key),
        ("MWS_OPERATOR_TOKEN", &settings.operator_token),
        ("MWS_DEFAULT_WEBHOOK_SECRET", &settings.default_webhook_secret),
    ];
    let missing: Vec<&str> = named.into_iter().filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
    if missing.is_empty() {
        return Finding::fine("secrets", "all three are set");
    }
    let cure = "`mws up` makes them and keeps them in the data folder; separate processes are given them";
    Finding::problem("secrets", format!("not set: {}", missing.join(", ")), cure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::finding::State;
    use chrono::DateTime;

    #[test]
    fn each_provider_that_answers_nothing_is_warned_of_with_its_model_and_since_when() {
        let since = DateTime::from_timestamp(1_800_000_000, 0).expect("a time");
        let [one, other] = ["painter", "speaker"].map(|name| FailingMaker { name: name.to_owned(), since });
        let well = judged("2 models".to_owned(), &[]);
        assert!(well.state == State::Fine && well.value == "2 models", "{well:?}");
        let both = judged("2 models".to_owned(), &[&one, &other]);
        assert_eq!(both.state, State::Warning);
        let silent = |name: &str| format!("the provider of {name} has answered nothing since 2027-01-15 08:00:00 UTC");
        assert_eq!(both.value, format!("2 models; {}, {}", silent("painter"), silent("speaker")));
    }
}
