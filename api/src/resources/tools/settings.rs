//! `get_settings`, `update_settings`, `undo_settings`: the defaults of a workspace's tools, for calls that don't say
//! otherwise (contract §4.9).

use super::caption_style::CaptionStyle;
use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::{NoArguments, Stored, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::text::{Text, Time};
use crate::resources::tools::prepare_media::ReadKind;
use crate::usecases::documents::Kept;
use crate::usecases::once::Once;
use crate::usecases::saved::undo_only;
use crate::usecases::settings::{kept_settings, update_settings};
use domain::ducking::DuckRule;
use domain::read::Read;
use domain::settings;
use domain::silence::SilenceRule;
use poem_openapi::payload::Json;
use poem_openapi::types::{Example, MaybeUndefined, ToJSON};
use poem_openapi::{Object, OpenApi};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /tools/get_settings", &[]),
    ("POST /tools/update_settings", &[Code::RoleForbidden, Code::RevisionConflict, Code::QuotaReached]),
    ("POST /tools/undo_settings", &[Code::RoleForbidden, Code::RevisionConflict, Code::NothingToUndo]),
];

/// The settings' tools.
pub struct SettingsTools(pub App);

/// What to change in the settings. Absent fields stay; null, or an empty list, restores the service's default.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct UpdateSettings {
    /// The revision that the change is for, 0 before the first one. If the settings have another: 409
    /// `revision_conflict`.
    pub if_revision: Option<i32>,
    /// The workspace's name on the pages of public links, 1 to 200 characters.
    pub name: MaybeUndefined<Text>,
    /// The language of the workspace's media, as a BCP 47 tag such as `en` or `pt-BR`: what `generate_audio` speaks
    /// when the call names no language, voice or model, and the language of a public link's captions when the
    /// transcript names none.
    pub default_language: MaybeUndefined<Text>,
    /// The reads that an upload or an import starts when it names none.
    pub reads_on_import: Option<Vec<ReadKind>>,
    /// `min_silence_ms` of `remove_silence`, 100 to 60000.
    pub min_silence_ms: MaybeUndefined<u32>,
    /// `padding_ms` of `remove_silence`, 0 to 5000.
    pub padding_ms: MaybeUndefined<u32>,
    /// `duck_db` of `duck_music`, 0 to 60.
    pub duck_db: MaybeUndefined<f64>,
    /// The style of captions of timelines that have no `style` or `position` of their own; fields that it leaves out
    /// are the brand kit's.
    pub caption_style: MaybeUndefined<CaptionStyle>,
}

impl Example for UpdateSettings {
    fn example() -> Self {
        Self {
            if_revision: None,
            name: MaybeUndefined::Undefined,
            default_language: MaybeUndefined::Value("en".into()),
            reads_on_import: Some(vec![ReadKind::Transcript, ReadKind::Speech]),
            min_silence_ms: MaybeUndefined::Value(700),
            padding_ms: MaybeUndefined::Undefined,
            duck_db: MaybeUndefined::Undefined,
            caption_style: MaybeUndefined::Undefined,
        }
    }
}

/// Which change of the settings to undo.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct UndoSettings {
    /// The revision to undo. If the settings have another one: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
}

/// The settings in effect: a value that nobody has set is the service's default.
#[derive(Debug, Object)]
#[oai(rename = "WorkspaceSettings")]
pub struct Settings {
    /// The workspace's name on the pages of public links; null: the pages show none.
    pub name: Option<Text>,
    /// The language of the workspace's media, as a BCP 47 tag; null when it is not set.
    pub default_language: Option<Text>,
    /// The reads that an upload or an import starts when it names none.
    pub reads_on_import: Vec<ReadKind>,
    /// `min_silence_ms` of `remove_silence`.
    pub min_silence_ms: u32,
    /// `padding_ms` of `remove_silence`.
    pub padding_ms: u32,
    /// `duck_db` of `duck_music`.
    pub duck_db: f64,
    /// The style of captions that have none of their own; null when it is not set.
    pub caption_style: Option<CaptionStyle>,
    /// Their revision: 0 when never changed, then one higher with every change.
    pub revision: i32,
    /// When they were last changed; null when they never were.
    pub updated_at: Option<Time>,
}

/// The settings.
#[derive(Debug, Object)]
pub struct SettingsAnswer {
    /// The settings.
    pub settings: Settings,
}

#[OpenApi(tag = "Tag::Workspace")]
impl SettingsTools {
    /// Read the workspace's settings
    ///
    /// The defaults of its tools, for calls that don't say otherwise.
    #[oai(path = "/tools/get_settings", method = "post", operation_id = "get_settings")]
    async fn get_settings(
        &self,
        auth: Auth,
        _arguments: Json<Option<NoArguments>>,
    ) -> Answer<Json<ToolAnswer<SettingsAnswer>>> {
        let Auth(caller) = auth;
        let settings = Settings::of(kept_settings(&self.0, caller.workspace.id).await?);
        Ok(ToolAnswer::new(&caller.request_id, SettingsAnswer { settings }).json())
    }

    /// Change the workspace's settings
    ///
    /// They apply from the next call on; a call may still say otherwise. `reads_on_import` start as if the uploader had
    /// requested them, and cost the same. The last 50 changes can be undone with `undo_settings`.
    #[oai(path = "/tools/update_settings", method = "post", operation_id = "update_settings")]
    async fn update_settings(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<UpdateSettings>,
    ) -> Answer<Stored<ToolAnswer<SettingsAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "update_settings", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let (if_revision, show) = (arguments.0.if_revision, shown(&caller.request_id));
        let change = |before| changed(before, arguments.0);
        Ok(update_settings(&self.0, &caller, &once, if_revision, change, show).await?.into())
    }

    /// Undo the latest change of the workspace's settings
    ///
    /// Restores what the settings were before their latest change, as a new revision. Repeat it to undo the change
    /// before. The first change is not undone: null, or an empty list, restores the service's default.
    #[oai(path = "/tools/undo_settings", method = "post", operation_id = "undo_settings")]
    async fn undo_settings(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<Option<UndoSettings>>,
    ) -> Answer<Stored<ToolAnswer<SettingsAnswer>>> {
        let (Auth(caller), asked) = (auth, arguments.0.unwrap_or_default());
        let once = Once::of(&self.0, &caller, "undo_settings", key, &asked);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let show = shown(&caller.request_id);
        Ok(undo_only(&self.0, &caller, &once, asked.if_revision, show).await?.into())
    }
}

/// Returns a function that writes the answer which shows the settings.
fn shown(request_id: &str) -> impl FnOnce(Kept<settings::Settings>) -> String {
    move |kept| {
        let settings = Settings::of(Some(kept));
        ToolAnswer::new(request_id, SettingsAnswer { settings }).to_json_string()
    }
}

/// Returns the settings after a change.
fn changed(mut settings: settings::Settings, asked: UpdateSettings) -> settings::Settings {
    fn set<T, U>(field: &mut Option<U>, asked: MaybeUndefined<T>, kept: impl FnOnce(T) -> U) {
        match asked {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => *field = None,
            MaybeUndefined::Value(value) => *field = Some(kept(value)),
        }
    }
    set(&mut settings.name, asked.name, |name| name.trim().to_owned());
    set(&mut settings.default_language, asked.default_language, |tag| tag.0);
    set(&mut settings.min_silence_ms, asked.min_silence_ms, |ms| ms);
    set(&mut settings.padding_ms, asked.padding_ms, |ms| ms);
    set(&mut settings.duck_db, asked.duck_db, |db| db);
    set(&mut settings.caption_style, asked.caption_style, Into::into);
    if let Some(reads) = asked.reads_on_import {
        settings.reads_on_import.clear();
        for read in reads.into_iter().map(Read::from) {
            if !settings.reads_on_import.contains(&read) {
                settings.reads_on_import.push(read);
            }
        }
    }
    settings
}

impl Settings {
    fn of(kept: Option<Kept<settings::Settings>>) -> Self {
        let (revision, updated_at) = kept.as_ref().map_or((0, None), |kept| (kept.revision, Some(kept.updated_at)));
        let settings = kept.map(|kept| kept.body).unwrap_or_default();
        Self {
            name: settings.name.map(Text),
            default_language: settings.default_language.map(Text),
            reads_on_import: settings.reads_on_import.into_iter().map(ReadKind::from).collect(),
            min_silence_ms: settings.min_silence_ms.unwrap_or(SilenceRule::MIN_SILENCE_MS),
            padding_ms: settings.padding_ms.unwrap_or(SilenceRule::PADDING_MS),
            duck_db: settings.duck_db.unwrap_or(DuckRule::DUCK_DB),
            caption_style: settings.caption_style.map(CaptionStyle::from),
            revision,
            updated_at: updated_at.map(Time),
        }
    }
}
