//! Skills: saved whole, by their name (`saved`).

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::documents::{Document, Kept};
use crate::usecases::once::{Made, Once};
use crate::usecases::saved::{BegunSaving, begin_save};
use domain::document::DocumentKind;
use domain::ids::ItemId;
use domain::skill::Skill;
use serde_json::{Value, json};

impl Document for Skill {
    const KIND: DocumentKind = DocumentKind::Skill;
    const NOT_FOUND: Code = Code::SkillNotFound;

    fn summary(&self) -> Value {
        json!({ "description": self.description, "bytes": self.text.len() })
    }

    fn items(&self) -> Vec<ItemId> {
        Vec::new()
    }
}

/// A skill to save.
#[derive(Debug)]
pub struct NewSkill {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// When to use it.
    pub description: Option<String>,
    /// The revision that it replaces; 0 where there is none.
    pub if_revision: Option<i32>,
}

/// Saves a skill. `show` writes the answer.
///
/// # Errors
/// As `saved::begin_save` and `Saving::write`; `invalid_request` names the field.
pub async fn save_skill(
    app: &App,
    caller: &Caller,
    once: &Once,
    new: NewSkill,
    show: impl FnOnce(Kept<Skill>) -> String,
) -> Answer<Made> {
    let skill = Skill::new(new.text, new.description.as_deref());
    let skill = skill.map_err(|error| ApiError::new(Code::InvalidRequest, format!("{error}.")))?;
    match begin_save::<Skill>(app, caller, once, &new.name, new.if_revision).await? {
        BegunSaving::Now(saving) => saving.write(app, caller, once, &skill, show).await,
        BegunSaving::Before(before) => Ok(Made::Before(before)),
    }
}
