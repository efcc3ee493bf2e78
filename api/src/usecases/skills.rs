//! Skills: saved whole, by their name (`saved`), and named by timelines.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::documents::{Document, Kept};
use crate::usecases::once::{Made, Once};
use crate::usecases::saved::{BegunSaving, begin_save};
use domain::document::{DocumentKind, MOST_NAME_CHARACTERS, OpList};
use domain::ids::{ItemId, WorkspaceId};
use domain::skill::Skill;
use serde_json::{Value, json};
use sqlx::PgConnection;

/// The most skills that a refusal names.
const MOST_NAMED: usize = 20;

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

/// Refuses operations by which a timeline names a skill that the workspace does not have. Those that it names already
/// (`kept`) may have been deleted since.
///
/// # Errors
/// `invalid_request` for the first such operation, with its place; the database's.
pub async fn reach_skills(
    conn: &mut PgConnection,
    workspace: WorkspaceId,
    kept: &[String],
    list: OpList,
    ops: &[Value],
) -> Answer<()> {
    let mut added: Vec<(usize, &str)> = Vec::new();
    for (index, op) in ops.iter().enumerate().filter(|(_, op)| op["op"] == "set_details") {
        let names = op["skills"].as_array().into_iter().flatten().filter_map(Value::as_str);
        added.extend(names.filter(|name| !kept.iter().any(|own| own == name)).map(|name| (index, name)));
    }
    if added.is_empty() {
        return Ok(());
    }
    let kind = DocumentKind::Skill;
    let rows = store::documents::page(conn, workspace, kind, None, kind.most()).await?;
    let known: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let Some((index, name)) = added.into_iter().find(|(_, name)| !known.contains(name)) else { return Ok(()) };
    let name: String = name.chars().take(MOST_NAME_CHARACTERS).collect();
    let has = match known.len() {
        0 => "it has none".to_owned(),
        1..=MOST_NAMED => format!("it has {}", known.join(", ")),
        many => format!("it has {} and {} more", known[..MOST_NAMED].join(", "), many - MOST_NAMED),
    };
    let message = format!("`{}[{index}].skills`: the workspace has no skill `{name}`; {has}.", list.field());
    Err(ApiError::new(Code::InvalidRequest, message).suggest("Save it with `save_skill`, or name one that is there."))
}
