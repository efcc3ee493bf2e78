//! The brand kit of a workspace (`saved`). Its logos' items are looked up in the transaction that writes them.

use crate::app::App;
use crate::auth::Caller;
use crate::http::error::{Answer, ApiError, Code};
use crate::usecases::documents::{Document, Kept};
use crate::usecases::library;
use crate::usecases::once::{Made, Once};
use crate::usecases::saved::{BegunSaving, OnlyDocument, begin_save, find};
use domain::brand_kit::{BrandKit, CaptionStyle, Color, Font, Logo};
use domain::document::DocumentKind;
use domain::ids::{ItemId, WorkspaceId};
use domain::media_use::MediaUse;
use serde_json::{Value, json};
use sqlx::PgConnection;

impl Document for BrandKit {
    const KIND: DocumentKind = DocumentKind::BrandKit;
    // Never used: a workspace without one has an empty kit.
    const NOT_FOUND: Code = Code::Internal;

    fn summary(&self) -> Value {
        json!({})
    }

    fn items(&self) -> Vec<ItemId> {
        self.logos.iter().map(|logo| logo.item).collect()
    }
}

impl OnlyDocument for BrandKit {
    const NAME: &'static str = "brand kit";
}

/// A change of a brand kit. Absent fields stay as they are.
#[derive(Debug, Default)]
pub struct BrandChange {
    /// The revision that the change is based on; 0 while there is no kit.
    pub if_revision: Option<i32>,
    /// All of its colours.
    pub colors: Option<Vec<Color>>,
    /// All of its fonts.
    pub fonts: Option<Vec<Font>>,
    /// All of its logos, each with the name of its item.
    pub logos: Option<Vec<NamedLogo>>,
    /// Its voice, or none to remove it.
    pub voice: Option<Option<String>>,
    /// Its style of captions, or none to remove it.
    pub caption_style: Option<Option<CaptionStyle>>,
}

/// A logo by the name of its item.
#[derive(Debug)]
pub struct NamedLogo {
    /// The logo's name.
    pub name: String,
    /// Its item's id or ref.
    pub item_ref: String,
}

/// The workspace's brand kit; none while nobody has made one.
pub async fn brand_kit(app: &App, workspace: WorkspaceId) -> Answer<Option<Kept<BrandKit>>> {
    find(&mut *app.conn().await?, workspace, BrandKit::NAME).await
}

/// Returns the brand kit to draw with; an empty one while nobody has made one.
pub(super) async fn kit_of(conn: &mut PgConnection, workspace: WorkspaceId) -> Answer<BrandKit> {
    Ok(find(conn, workspace, BrandKit::NAME).await?.map(|kept| kept.body).unwrap_or_default())
}

/// Changes the brand kit, all fields or none. `show` writes the answer.
///
/// # Errors
/// As `saved::begin_save` and `Saving::write`; `invalid_request` names the field; those of finding a logo's item.
pub async fn update_brand_kit(
    app: &App,
    caller: &Caller,
    once: &Once,
    change: BrandChange,
    show: impl FnOnce(Kept<BrandKit>) -> String,
) -> Answer<Made> {
    let mut saving = match begin_save::<BrandKit>(app, caller, once, BrandKit::NAME, change.if_revision).await? {
        BegunSaving::Now(saving) => saving,
        BegunSaving::Before(before) => return Ok(Made::Before(before)),
    };
    let mut kit = saving.before.take().unwrap_or_default();
    if let Some(logos) = change.logos {
        kit.logos = found_logos(&mut saving.tx, caller, logos).await?;
    }
    kit.colors = change.colors.unwrap_or(kit.colors);
    kit.fonts = change.fonts.unwrap_or(kit.fonts);
    kit.voice = change.voice.unwrap_or(kit.voice);
    kit.caption_style = change.caption_style.unwrap_or(kit.caption_style);
    kit.check().map_err(|words| ApiError::new(Code::InvalidRequest, format!("{words}.")))?;
    saving.write(app, caller, once, &kit, show).await
}

async fn found_logos(conn: &mut PgConnection, caller: &Caller, logos: Vec<NamedLogo>) -> Answer<Vec<Logo>> {
    let mut found = Vec::new();
    let most = domain::brand_kit::MOST_ENTRIES + 1;
    let (names, refs): (Vec<String>, Vec<String>) =
        logos.into_iter().take(most).map(|NamedLogo { name, item_ref }| (name, item_ref)).unzip();
    let items = library::resolve_each(conn, caller.workspace.id, &refs).await?;
    for (at, (name, item)) in names.into_iter().zip(items).enumerate() {
        let refused = |code, message: &str| ApiError::new(code, format!("`logos[{at}].ref`: {message}"));
        let item = item.map_err(|error| refused(error.code(), error.message()))?;
        let media = item.media().ok_or_else(|| refused(Code::InvalidRequest, "the item is not ready."))?;
        media
            .suits(MediaUse::Still)
            .map_err(|unfit| refused(Code::InvalidRequest, &format!("a logo is an image: {unfit}.")))?;
        found.push(Logo { name, item: item.id });
    }
    Ok(found)
}
