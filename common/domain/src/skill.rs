//! Skills: named Markdown that agents read before they work (contract §4.9).
//!
//! The text is stored as it was sent and never rendered here: whoever shows it treats it as plain text.

use serde::{Deserialize, Serialize};

/// The most bytes of a skill's text.
pub const MOST_TEXT_BYTES: usize = 20_000;
/// The most characters of a skill's description.
pub const MOST_DESCRIPTION_CHARACTERS: usize = 500;

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skill {
    /// Its purpose, on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its text, as Markdown.
    pub text: String,
}

/// Why a skill is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SkillError {
    /// The text is empty or too long.
    #[error("`text`: expected 1 to {MOST_TEXT_BYTES} bytes with something in them")]
    Text,
    /// The description is too long, or has several lines.
    #[error("`description`: expected at most {MOST_DESCRIPTION_CHARACTERS} characters on one line")]
    Description,
}

impl Skill {
    /// Returns a skill of this text. An empty description becomes `None`.
    pub fn new(text: String, description: Option<&str>) -> Result<Self, SkillError> {
        if text.trim().is_empty() || text.len() > MOST_TEXT_BYTES {
            return Err(SkillError::Text);
        }
        let description = description.map(str::trim).filter(|line| !line.is_empty());
        if description.is_some_and(|line| {
            line.chars().count() > MOST_DESCRIPTION_CHARACTERS || line.chars().any(char::is_control)
        }) {
            return Err(SkillError::Description);
        }
        Ok(Self { description: description.map(str::to_owned), text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_has_words_and_ends() {
        let made = Skill::new("# Cut\n\nShort.".to_owned(), Some("  How we cut ")).expect("a skill");
        assert_eq!(made.description.as_deref(), Some("How we cut"));
        assert_eq!(Skill::new("x".to_owned(), Some(" ")).expect("a skill").description, None);
        assert!(Skill::new("x".repeat(MOST_TEXT_BYTES), None).is_ok());
        for wrong in [" \n".to_owned(), "x".repeat(MOST_TEXT_BYTES + 1), "ä".repeat(MOST_TEXT_BYTES / 2 + 1)] {
            assert_eq!(Skill::new(wrong, None), Err(SkillError::Text));
        }
        for wrong in ["a\nb".to_owned(), "x".repeat(MOST_DESCRIPTION_CHARACTERS + 1)] {
            assert_eq!(Skill::new("x".to_owned(), Some(&wrong)), Err(SkillError::Description));
        }
    }
}
