//! Checks what an agent is asked, and what it reports: people see that and programs follow it, so its URLs must lead to
//! the web, and what it names without a URL must exist (contract §2, "Asset", "Scene").

use super::shape::{ProjectAsset, ProjectTimeline};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::Text;
use domain::comment::is_blank;
use std::collections::HashSet;
use url::Url;

/// Refuses a brief, or a message, of which nothing can be seen.
pub fn something(field: &str, text: &str) -> Answer<()> {
    if !is_blank(text) {
        return Ok(());
    }
    Err(ApiError::new(Code::InvalidRequest, format!("`{field}`: expected words, and it has only blanks.")))
}

/// Refuses a URL that is not http or https: a page that shows it would run `javascript:`.
pub fn web_url(field: &str, url: &str) -> Answer<()> {
    let is_webs = Url::parse(url).is_ok_and(|url| ["http", "https"].contains(&url.scheme()) && url.host().is_some());
    if is_webs {
        return Ok(());
    }
    Err(ApiError::new(Code::InvalidRequest, format!("`{field}`: expected an http or https URL.")))
}

/// Refuses assets and scenes with a URL that is not http or https.
pub fn urls(assets: &[ProjectAsset], timeline: Option<&ProjectTimeline>) -> Answer<()> {
    let check = |place: String, url: &Option<Text>| url.as_ref().map_or(Ok(()), |url| web_url(&place, url));
    for (index, asset) in assets.iter().enumerate() {
        check(format!("assets[{index}].url"), &asset.url)?;
        check(format!("assets[{index}].source_image_url"), &asset.source_image_url)?;
        check(format!("assets[{index}].source_video_url"), &asset.source_video_url)?;
        check(format!("assets[{index}].reference_image_url"), &asset.reference_image_url)?;
    }
    for (index, scene) in timeline.iter().flat_map(|timeline| &timeline.scenes).enumerate() {
        check(format!("timeline.scenes[{index}].image_url"), &scene.image_url)?;
        check(format!("timeline.scenes[{index}].video_url"), &scene.video_url)?;
    }
    Ok(())
}

/// Returns the refs of the assets without a URL, each once: such a ref must name an item of the workspace. With a URL,
/// `ref` is the agent's own name for it.
pub fn bare_refs(assets: &[ProjectAsset]) -> Vec<String> {
    let mut seen = HashSet::new();
    let bare = assets.iter().filter(|asset| asset.url.is_none());
    bare.map(|asset| asset.r#ref.0.clone()).filter(|name| seen.insert(name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::{something, web_url};

    #[test]
    fn blanks_ask_for_nothing() {
        for blank in [" ", "\u{200b}\u{2060}\n"] {
            let refused = something("brief", blank).expect_err("it is blank");
            assert_eq!(refused.message(), "`brief`: expected words, and it has only blanks.");
        }
        assert!(something("brief", "河 ").is_ok());
    }

    #[test]
    fn only_what_a_browser_fetches_is_a_url_here() {
        for good in ["https://cdn.example.com/v.mp4?x=1", "http://127.0.0.1:8080/a"] {
            assert!(web_url("assembled_url", good).is_ok(), "{good}");
        }
        for bad in ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/v.mp4", "https://", "", "x"] {
            let refused = web_url("assembled_url", bad).expect_err(bad);
            assert_eq!(refused.message(), "`assembled_url`: expected an http or https URL.");
        }
    }
}
