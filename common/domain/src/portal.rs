//! The portal's look: which pages a session shows, and how they look to those who come from a customer's own product.
//!
//! All of it was said by whoever made the link, and ends up in a page: so it is a closed list of words, a colour, and
//! texts with a bound.

use crate::generation::Color;
use serde::{Deserialize, Serialize};

/// Characters of the name that the pages bear, at most.
pub const NAME_CHARS: usize = 60;
/// Characters of the URL that leads back, at most.
pub const URL_CHARS: usize = 2_000;
/// Characters of a logo as a `data:` URL, at most: an image of about 24 kB.
pub const LOGO_CHARS: usize = 32 << 10;
/// What a logo begins with: an image that holds no script and fetches nothing.
const LOGOS: [&str; 3] = ["data:image/png;base64,", "data:image/jpeg;base64,", "data:image/webp;base64,"];

/// A page of the portal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PortalPage {
    /// Endpoints, their deliveries and the signing secret.
    Webhooks,
    /// Jobs of the workspace.
    Jobs,
    /// Minutes and credits.
    Usage,
    /// API keys.
    Keys,
}

impl PortalPage {
    /// All of them, in the order of the navigation.
    pub const ALL: [Self; 4] = [Self::Webhooks, Self::Jobs, Self::Usage, Self::Keys];

    /// Its name in the interface and in its path.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Webhooks => "webhooks",
            Self::Jobs => "jobs",
            Self::Usage => "usage",
            Self::Keys => "keys",
        }
    }
}

/// Whether the pages are light or dark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// As the browser has it.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Scheme {
    /// What CSS calls it.
    pub const fn css(self) -> &'static str {
        match self {
            Self::Auto => "light dark",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// What a session shows, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    /// The pages there are; never none.
    pub pages: Vec<PortalPage>,
    /// What the pages bear as their name.
    pub name: Option<String>,
    /// The colour of their head and their buttons.
    pub accent: Option<Color>,
    /// Light or dark.
    pub scheme: Scheme,
    /// An image for their head, as a `data:` URL.
    pub logo: Option<String>,
    /// Where they lead back to.
    pub return_url: Option<String>,
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
        }
    }
}

/// The ink that can be read on a colour: black or white, whichever has the larger contrast (WCAG 2.2, 1.4.3).
pub fn ink_on(Color(channels): Color) -> &'static str {
    let [red, green, blue] = channels.map(|channel| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    let luminance = 0.2126_f64.mul_add(red, 0.7152_f64.mul_add(green, 0.0722 * blue));
    // Where both have the same: (l + 0.05)² = 1.05 × 0.05.
    if luminance > 0.179 { "#000000" } else { "#ffffff" }
}

/// Whether a text is a logo that a page can show.
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
