//! The look of the portal: the pages that a session shows, and their design for a customer's own users.
//!
//! Whoever made the link chose all of it, and it is written into pages: so it is a closed list of words, a colour, and
//! texts of limited length.

use crate::generation::Color;
use serde::{Deserialize, Serialize};

/// The most characters of the pages' name.
pub const NAME_CHARS: usize = 60;
/// The most characters of the return URL, and of the refresh URL.
pub const URL_CHARS: usize = 2_000;
/// The most characters of a logo as a `data:` URL: an image of about 24 kB.
pub const LOGO_CHARS: usize = 32 << 10;
/// The prefixes of a logo: types of images that hold no script and fetch nothing.
const LOGOS: [&str; 3] = ["data:image/png;base64,", "data:image/jpeg;base64,", "data:image/webp;base64,"];

/// A page of the portal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PortalPage {
    /// Endpoints, their deliveries and the signing secret.
    Webhooks,
    /// The jobs of the workspace.
    Jobs,
    /// Minutes and credits.
    Usage,
    /// API keys.
    Keys,
}

impl PortalPage {
    /// All pages, in the order of the navigation.
    pub const ALL: [Self; 4] = [Self::Webhooks, Self::Jobs, Self::Usage, Self::Keys];

    /// Returns its name in the API and in its path.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Webhooks => "webhooks",
            Self::Jobs => "jobs",
            Self::Usage => "usage",
            Self::Keys => "keys",
        }
    }
}

/// The colour scheme of the pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// The browser's.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Scheme {
    /// Returns its value in CSS.
    pub const fn css(self) -> &'static str {
        match self {
            Self::Auto => "light dark",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// The pages of a session, and their design.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    /// The pages, at least one.
    pub pages: Vec<PortalPage>,
    /// The name in the pages' head.
    pub name: Option<String>,
    /// The colour of the head and of buttons.
    pub accent: Option<Color>,
    /// The colour scheme.
    pub scheme: Scheme,
    /// The image in the head, as a `data:` URL.
    pub logo: Option<String>,
    /// The URL of the link back.
    pub return_url: Option<String>,
    /// The URL that a session leads to once it has run out.
    pub refresh_url: Option<String>,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            pages: PortalPage::ALL.to_vec(),
            name: None,
            accent: None,
            scheme: Scheme::Auto,
            logo: None,
            return_url: None,
            refresh_url: None,
        }
    }
}

/// Returns the text colour on a colour: black or white, whichever has more contrast (WCAG 2.2, 1.4.3).
pub fn ink_on(Color(channels): Color) -> &'static str {
    let [red, green, blue] = channels.map(|channel| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    let luminance = 0.2126_f64.mul_add(red, 0.7152_f64.mul_add(green, 0.0722 * blue));
    // Both have the same contrast where (l + 0.05)² = 1.05 × 0.05.
    if luminance > 0.179 { "#000000" } else { "#ffffff" }
}

/// Whether a text is a logo that pages can show.
pub fn is_logo(text: &str) -> bool {
    let image = LOGOS.iter().find_map(|start| text.strip_prefix(start));
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    let image = image.map(|image| image.trim_end_matches('='));
    text.len() <= LOGO_CHARS && image.is_some_and(|image| !image.is_empty() && image.bytes().all(is_base64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_on_a_colour_can_be_read() {
        let ink = |hex: &str| ink_on(hex.parse().unwrap());
        assert_eq!([ink("#ffffff"), ink("#ffff00"), ink("#808080"), ink("#00a000")], ["#000000"; 4]);
        assert_eq!([ink("#000000"), ink("#0000ff"), ink("#a3241b"), ink("#0a59a3")], ["#ffffff"; 4]);
    }

    #[test]
    fn a_logo_is_an_image_that_holds_nothing_else() {
        assert!(is_logo("data:image/png;base64,iVBORw0KGgo="));
        for wrong in [
            "",
            "https://example.com/logo.png",
            "data:image/svg+xml;base64,PHN2Zz4=",
            "data:image/png;base64,",
            "data:image/png;base64,a\"onerror=\"x",
            &format!("data:image/png;base64,{}", "a".repeat(LOGO_CHARS)),
        ] {
            assert!(!is_logo(wrong), "{wrong:.40}");
        }
    }

    #[test]
    fn what_an_older_program_has_written_is_read() {
        assert_eq!(serde_json::from_str::<Look>("{}").unwrap(), Look::default());
    }
}
