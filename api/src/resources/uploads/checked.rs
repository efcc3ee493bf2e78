//! Checks the request of an upload or an import, as far as that is possible before it begins.

use super::CreateUpload;
use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::resources::tools::prepare_media::ReadKind;
use crate::usecases::settings::settings;
use crate::usecases::uploads::Announced;
use crate::usecases::uploads::import::Import;
use domain::item::{check_name, check_ref};
use domain::read::Read;
use domain::upload::{essence, is_taken};
use runtime::config::Settings;
use runtime::process::Process;

/// Returns what the request announces: name, media type, length, checksum, ref and reads.
///
/// # Errors
/// `invalid_request` by field, `file_too_large`, `unsupported_media_type`.
pub(super) fn announced(asked: &CreateUpload, settings: &Settings) -> Answer<Announced> {
    let filename = named("filename", asked.filename.as_deref())?;
    let content_type = essence(asked.content_type.as_deref().ok_or_else(|| missing("content_type"))?);
    let bytes = asked.bytes.ok_or_else(|| missing("bytes"))?;
    let sha256 = asked.sha256.as_deref().map(hash).transpose()?;
    if !is_taken(&content_type) {
        let message = format!("`{content_type}` is no media type that can be uploaded.");
        return Err(ApiError::new(Code::UnsupportedMediaType, message));
    }
    if u64::try_from(bytes).is_ok_and(|bytes| bytes > settings.max_upload_bytes) {
        let message = format!("A file may have at most {} bytes.", settings.max_upload_bytes);
        return Err(ApiError::new(Code::FileTooLarge, message));
    }
    let item_ref = checked_ref(asked.item_ref.as_deref())?;
    Ok(Announced { filename, content_type, bytes, sha256, item_ref, reads: each_once(asked.reads.as_deref()) })
}

/// An import as it is requested.
#[derive(Debug)]
pub struct AskedImport<'a> {
    /// The URL to fetch.
    pub url: &'a str,
    /// The item's name, for people.
    pub name: Option<&'a str>,
    /// The item's ref, unique in the workspace.
    pub item_ref: Option<&'a str>,
    /// The reads to start once the item is ready.
    pub reads: Option<&'a [ReadKind]>,
}

/// Returns the import that a request asks for, checked.
///
/// # Errors
/// `url_not_allowed`, `invalid_request` by field.
pub async fn checked_import(process: &Process, caller: &Caller, asked: &AskedImport<'_>) -> Answer<Import> {
    let refused = |refused| ApiError::new(Code::UrlNotAllowed, format!("{refused}."));
    let checked = process.outbound.check_resolves_public(asked.url, caller.account_id).await.map_err(refused)?;
    let name = match asked.name {
        Some(name) => named("name", Some(name))?,
        None => name_in(checked.url()),
    };
    let item_ref = checked_ref(asked.item_ref)?;
    let reads = each_once(asked.reads);
    Ok(Import { url: checked.url().as_str().to_owned(), name, item_ref, reads })
}

/// Returns the reads that an upload or an import starts: those that it names, or else those of the settings.
pub async fn wished_reads(app: &App, caller: &Caller, asked: Option<Vec<ReadKind>>) -> Answer<Option<Vec<ReadKind>>> {
    if asked.is_some() {
        return Ok(asked);
    }
    let reads = settings(app, caller.workspace.id).await?.reads_on_import;
    Ok(Some(reads.into_iter().map(ReadKind::from).collect()))
}

/// Returns the reads in their order, without repeats.
fn each_once(reads: Option<&[ReadKind]>) -> Vec<Read> {
    let mut each = Vec::new();
    for read in reads.into_iter().flatten().copied().map(Read::from) {
        if !each.contains(&read) {
            each.push(read);
        }
    }
    each
}

fn missing(field: &str) -> ApiError {
    let message = format!("`{field}`: required, unless `url` is given.");
    ApiError::new(Code::InvalidRequest, message)
}

fn named(field: &str, name: Option<&str>) -> Answer<String> {
    let name = name.ok_or_else(|| missing(field))?;
    check_name(name).map_err(|wrong| ApiError::new(Code::InvalidRequest, format!("`{field}`: {wrong}.")))?;
    Ok(name.to_owned())
}

fn checked_ref(text: Option<&str>) -> Answer<Option<String>> {
    let wrong = |wrong| ApiError::new(Code::InvalidRequest, format!("`ref`: {wrong}."));
    text.map(|text| check_ref(text).map(|()| text.to_owned()).map_err(wrong)).transpose()
}

/// Returns the default name of an import: the last part of the URL's path, or its host.
fn name_in(url: &url::Url) -> String {
    let last = url.path_segments().and_then(|mut parts| parts.next_back()).filter(|part| check_name(part).is_ok());
    last.or(url.host_str()).unwrap_or("import").to_owned()
}

fn hash(text: &str) -> Answer<[u8; 32]> {
    let wrong = || ApiError::new(Code::InvalidRequest, "`sha256`: expected 64 hexadecimal characters.");
    if text.len() != 64 || !text.is_ascii() {
        return Err(wrong());
    }
    let mut hash = [0; 32];
    for (byte, at) in hash.iter_mut().zip((0..64).step_by(2)) {
        let pair = text.get(at..at + 2).filter(|pair| pair.bytes().all(|digit| digit.is_ascii_hexdigit()));
        *byte = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).ok_or_else(wrong)?;
    }
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_read_in_either_case_and_refused_when_it_is_none() {
        let text = "00ffAB".to_owned() + &"0".repeat(58);
        assert_eq!(hash(&text).expect("a hash")[..3], [0, 255, 171]);
        for wrong in ["", "00", &"g".repeat(64), &"+1".repeat(32), &"é".repeat(32)] {
            assert!(hash(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_import_is_called_by_the_last_part_of_its_url() {
        let name = |url: &str| name_in(&url::Url::parse(url).expect("a URL"));
        assert_eq!(name("https://a.example/x/talk.mp4?sig=1"), "talk.mp4");
        assert_eq!(name("https://a.example/"), "a.example");
    }
}
