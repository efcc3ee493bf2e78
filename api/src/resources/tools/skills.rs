//! `save_skill`, `list_skills`, `get_skill`, `undo_skill`, `delete_skill`: named Markdown that agents read (contract
//! §4.9). MCP serves them as prompts too.

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::paging::{Limit, Page};
use crate::http::text::{Text, Time, True};
use crate::usecases::documents::{self, Kept};
use crate::usecases::once::Once;
use crate::usecases::saved::{delete_named, reach_named, undo_named};
use crate::usecases::skills::{NewSkill, save_skill};
use domain::skill;
use poem_openapi::payload::Json;
use poem_openapi::types::{Example, ToJSON};
use poem_openapi::{Object, OpenApi};
use store::documents::ListedRow;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /tools/save_skill", &[Code::RoleForbidden, Code::NameTaken, Code::RevisionConflict, Code::QuotaReached]),
    ("POST /tools/list_skills", &[Code::InvalidCursor]),
    ("POST /tools/get_skill", &[Code::SkillNotFound]),
    (
        "POST /tools/undo_skill",
        &[Code::RoleForbidden, Code::SkillNotFound, Code::RevisionConflict, Code::NothingToUndo],
    ),
    ("POST /tools/delete_skill", &[Code::RoleForbidden, Code::SkillNotFound]),
];

/// The skills' tools.
pub struct SkillTools(pub App);

/// A skill to save.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct SaveSkill {
    /// Its name, 1 to 200 characters; calls find it by that.
    pub name: Text,
    /// Its text, as Markdown: 1 to 20,000 bytes.
    pub text: Text,
    /// When to use it, at most 500 characters on one line.
    pub description: Option<Text>,
    /// The revision to replace, or 0 when there should be no skill of this name. If it has another revision: 409
    /// `revision_conflict`; if 0 was given and it exists: 409 `name_taken`. Without it, whatever exists is replaced.
    pub if_revision: Option<i32>,
}

impl Example for SaveSkill {
    fn example() -> Self {
        Self {
            name: "How we cut".into(),
            text: "# How we cut\n\nKeep what makes people laugh.".into(),
            description: Some("Read before cutting an interview.".into()),
            if_revision: None,
        }
    }
}

/// Which skills to list.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct ListSkills {
    /// Skills to show, 1 to 100; 20 when not given.
    pub limit: Option<Limit>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Text>,
}

/// Which skill.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct OneSkill {
    /// Its name.
    pub name: Text,
}

/// Which skill to restore.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct UndoSkill {
    /// Its name.
    pub name: Text,
    /// The revision to undo. If the skill has another one: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
}

/// A skill.
#[derive(Debug, Object)]
pub struct Skill {
    /// Its name.
    pub name: Text,
    /// When to use it; null when nobody said.
    pub description: Option<Text>,
    /// Its text, as Markdown.
    pub text: Text,
    /// Its revision: 1 when created, then one higher with every change.
    pub revision: i32,
    /// When it was first saved.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A skill as lists show it.
#[derive(Debug, Object)]
pub struct ListedSkill {
    /// Its name.
    pub name: Text,
    /// When to use it; null when nobody said.
    pub description: Option<Text>,
    /// The length of its text, in bytes.
    pub bytes: u64,
    /// Its revision: 1 when created, then one higher with every change.
    pub revision: i32,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A skill.
#[derive(Debug, Object)]
pub struct SkillAnswer {
    /// The skill.
    pub skill: Skill,
}

/// A page of the workspace's skills.
#[derive(Debug, Object)]
pub struct SkillPage {
    /// The skills, newest first.
    pub skills: Vec<ListedSkill>,
    /// Whether there are skills after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the skills after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// The skill that was deleted.
#[derive(Debug, Object)]
pub struct DeletedSkill {
    /// Its name.
    pub name: Text,
    /// Always true.
    pub deleted: True,
}

#[OpenApi(tag = "Tag::Workspace")]
impl SkillTools {
    /// Save a skill
    ///
    /// Saves instructions for whoever works in the workspace: agents list skills and read those that fit. A skill of
    /// the same name is replaced; the last 50 changes can be undone with `undo_skill`. Over MCP skills are prompts too.
    /// A workspace has at most 200.
    #[oai(path = "/tools/save_skill", method = "post", operation_id = "save_skill")]
    async fn save_skill(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<SaveSkill>,
    ) -> Answer<Stored<ToolAnswer<SkillAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "save_skill", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let SaveSkill { name, text, description, if_revision } = arguments.0;
        let description = description.map(|text| text.0);
        let new = NewSkill { name: name.0, text: text.0, description, if_revision };
        Ok(save_skill(&self.0, &caller, &once, new, shown(&caller.request_id)).await?.into())
    }

    /// List skills
    ///
    /// Newest first, without their text.
    #[oai(path = "/tools/list_skills", method = "post", operation_id = "list_skills")]
    async fn list_skills(
        &self,
        auth: Auth,
        arguments: Json<Option<ListSkills>>,
    ) -> Answer<Json<ToolAnswer<SkillPage>>> {
        let Auth(caller) = auth;
        let asked = arguments.0.unwrap_or_default();
        let page = Page::new("skills", asked.limit, asked.cursor.as_ref())?;
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let rows = documents::page::<skill::Skill>(&mut conn, &caller, page.after, page.fetch()).await?;
        let list = page.list(rows, |row| row.id, ListedSkill::from);
        let data = SkillPage { skills: list.data, has_more: list.has_more, next_cursor: list.next_cursor };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }

    /// Read a skill
    ///
    /// With its text, as Markdown.
    #[oai(path = "/tools/get_skill", method = "post", operation_id = "get_skill")]
    async fn get_skill(&self, auth: Auth, arguments: Json<OneSkill>) -> Answer<Json<ToolAnswer<SkillAnswer>>> {
        let Auth(caller) = auth;
        let mut conn = self.0.conn().await?;
        let kept = reach_named::<skill::Skill>(&mut conn, caller.workspace.id, &arguments.0.name).await?;
        Ok(ToolAnswer::new(&caller.request_id, SkillAnswer { skill: kept.into() }).json())
    }

    /// Undo the latest change of a skill
    ///
    /// Restores what the skill was before its latest change, as a new revision. Repeat it to undo the change before. A
    /// first save is not undone: `delete_skill` deletes the skill.
    #[oai(path = "/tools/undo_skill", method = "post", operation_id = "undo_skill")]
    async fn undo_skill(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<UndoSkill>,
    ) -> Answer<Stored<ToolAnswer<SkillAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "undo_skill", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let UndoSkill { name, if_revision } = arguments.0;
        let show = shown(&caller.request_id);
        Ok(undo_named(&self.0, &caller, &once, &name, if_revision, show).await?.into())
    }

    /// Delete a skill
    ///
    /// Its history is deleted too, and its name becomes free.
    #[oai(path = "/tools/delete_skill", method = "post", operation_id = "delete_skill")]
    async fn delete_skill(&self, auth: Auth, arguments: Json<OneSkill>) -> Answer<Json<ToolAnswer<DeletedSkill>>> {
        let (Auth(caller), name) = (auth, arguments.0.name);
        delete_named::<skill::Skill>(&self.0, &caller, &name).await?;
        Ok(ToolAnswer::new(&caller.request_id, DeletedSkill { name, deleted: True }).json())
    }
}

/// Returns a function that writes the answer which shows a skill.
fn shown(request_id: &str) -> impl FnOnce(Kept<skill::Skill>) -> String {
    move |kept| ToolAnswer::new(request_id, SkillAnswer { skill: kept.into() }).to_json_string()
}

impl From<Kept<skill::Skill>> for Skill {
    fn from(kept: Kept<skill::Skill>) -> Self {
        Self {
            name: Text(kept.name),
            description: kept.body.description.map(Text),
            text: Text(kept.body.text),
            revision: kept.revision,
            created_at: Time(kept.created_at),
            updated_at: Time(kept.updated_at),
        }
    }
}

impl From<ListedRow> for ListedSkill {
    fn from(row: ListedRow) -> Self {
        Self {
            name: Text(row.name),
            description: row.summary["description"].as_str().map(Text::from),
            bytes: row.summary["bytes"].as_u64().unwrap_or_default(),
            revision: row.revision,
            updated_at: Time(row.updated_at),
        }
    }
}
