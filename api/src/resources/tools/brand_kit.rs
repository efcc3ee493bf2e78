//! `get_brand_kit`, `update_brand_kit`, `undo_brand_kit`: named colours, fonts and logos, a voice, and a caption style
//! (contract §4.9).

use super::caption_style::CaptionStyle;
use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::{NoArguments, Stored, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, Code};
use crate::http::text::{Text, Time, said};
use crate::usecases::brand_kit::{BrandChange, NamedLogo, brand_kit, update_brand_kit};
use crate::usecases::documents::Kept;
use crate::usecases::once::Once;
use crate::usecases::saved::undo_only;
use domain::brand_kit;
use poem_openapi::payload::Json;
use poem_openapi::types::{Example, MaybeUndefined, ToJSON};
use poem_openapi::{Object, OpenApi};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /tools/get_brand_kit", &[]),
    (
        "POST /tools/update_brand_kit",
        &[
            Code::RoleForbidden,
            Code::ItemNotFound,
            Code::WorkspaceForbidden,
            Code::RevisionConflict,
            Code::QuotaReached,
        ],
    ),
    ("POST /tools/undo_brand_kit", &[Code::RoleForbidden, Code::RevisionConflict, Code::NothingToUndo]),
];

/// The brand kit's tools.
pub struct BrandKitTools(pub App);

/// What to change in the brand kit. Absent fields keep their values; a list replaces the whole list.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, skip_serializing_if_is_none, example)]
pub struct UpdateBrandKit {
    /// The revision that the change is for, 0 before the first one. If the kit has another: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
    /// Its colours, at most 50; the first one represents the brand.
    #[oai(validator(max_items = 50))]
    pub colors: Option<Vec<BrandColor>>,
    /// Its fonts, at most 50.
    #[oai(validator(max_items = 50))]
    pub fonts: Option<Vec<BrandFont>>,
    /// Its logos, at most 50.
    #[oai(validator(max_items = 50))]
    pub logos: Option<Vec<LogoToSet>>,
    /// The brand's tone of voice, at most 2,000 characters; null removes it.
    pub voice: MaybeUndefined<Text>,
    /// The style of its captions; null removes it.
    pub caption_style: MaybeUndefined<CaptionStyle>,
}

impl Example for UpdateBrandKit {
    fn example() -> Self {
        Self {
            if_revision: None,
            colors: Some(vec![BrandColor { name: "Ink".into(), hex: "#1a2b3c".into() }]),
            fonts: Some(vec![BrandFont { name: "Headlines".into(), family: brand_kit::FAMILIES[0].into() }]),
            logos: None,
            voice: MaybeUndefined::Value("Warm, short, without jargon.".into()),
            caption_style: MaybeUndefined::Undefined,
        }
    }
}

/// Which change of the brand kit to undo.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct UndoBrandKit {
    /// The revision to undo. If the kit has another one: 409 `revision_conflict`.
    pub if_revision: Option<i32>,
}

/// A named colour.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct BrandColor {
    /// Its name, 1 to 100 characters, unique among the colours regardless of case.
    pub name: Text,
    /// The colour, such as `#1a2b3c`.
    pub hex: Text,
}

/// A named font.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct BrandFont {
    /// Its name, 1 to 100 characters, unique among the fonts regardless of case.
    pub name: Text,
    /// Its font family, one of `families`.
    pub family: Text,
}

/// A named logo to set.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct LogoToSet {
    /// Its name, 1 to 100 characters, unique among the logos regardless of case.
    pub name: Text,
    /// The item, an image that is ready: its ref, its id, or the id of the job that made it.
    #[oai(rename = "ref")]
    pub item_ref: Text,
}

/// A named logo.
#[derive(Debug, Object)]
pub struct BrandLogo {
    /// Its name.
    pub name: Text,
    /// The image.
    pub item_id: Text,
    /// The ref of that item, or its id when it has none; null when it is deleted.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// Whether the image is deleted.
    pub item_deleted: bool,
}

/// The brand kit.
#[derive(Debug, Object)]
pub struct BrandKit {
    /// Its colours; the first one represents the brand.
    pub colors: Vec<BrandColor>,
    /// Its fonts.
    pub fonts: Vec<BrandFont>,
    /// Its logos.
    pub logos: Vec<BrandLogo>,
    /// The brand's tone of voice; null when it is not set.
    pub voice: Option<Text>,
    /// The style of its captions; null when it is not set.
    pub caption_style: Option<CaptionStyle>,
    /// Its revision: 0 when never changed, then one higher with every change.
    pub revision: i32,
    /// When it was last changed; null when it never was.
    pub updated_at: Option<Time>,
}

/// The brand kit.
#[derive(Debug, Object)]
pub struct BrandKitAnswer {
    /// The brand kit.
    pub brand_kit: BrandKit,
    /// The font families that a font may have.
    pub families: Vec<Text>,
}

#[OpenApi(tag = "Tag::Workspace")]
impl BrandKitTools {
    /// Read the brand kit
    ///
    /// The workspace's named colours, fonts and logos, its tone of voice, and its caption style. `families` are the
    /// font families that a font may have.
    #[oai(path = "/tools/get_brand_kit", method = "post", operation_id = "get_brand_kit")]
    async fn get_brand_kit(
        &self,
        auth: Auth,
        _arguments: Json<Option<NoArguments>>,
    ) -> Answer<Json<ToolAnswer<BrandKitAnswer>>> {
        let Auth(caller) = auth;
        let kept = brand_kit(&self.0, caller.workspace.id).await?;
        Ok(ToolAnswer::new(&caller.request_id, BrandKitAnswer::of(kept)).json())
    }

    /// Change the brand kit
    ///
    /// Makes all the changes or none. Whatever uses an entry of the kit by name uses its current value: the pages of
    /// public links show its first colour. The last 50 changes can be undone with `undo_brand_kit`.
    #[oai(path = "/tools/update_brand_kit", method = "post", operation_id = "update_brand_kit")]
    async fn update_brand_kit(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<UpdateBrandKit>,
    ) -> Answer<Stored<ToolAnswer<BrandKitAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "update_brand_kit", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let show = shown(&caller.request_id);
        Ok(update_brand_kit(&self.0, &caller, &once, arguments.0.into(), show).await?.into())
    }

    /// Undo the latest change of the brand kit
    ///
    /// Restores what the kit was before its latest change, as a new revision. Repeat it to undo the change before. The
    /// first change is not undone: null, or an empty list, removes what it set.
    #[oai(path = "/tools/undo_brand_kit", method = "post", operation_id = "undo_brand_kit")]
    async fn undo_brand_kit(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<Option<UndoBrandKit>>,
    ) -> Answer<Stored<ToolAnswer<BrandKitAnswer>>> {
        let (Auth(caller), asked) = (auth, arguments.0.unwrap_or_default());
        let once = Once::of(&self.0, &caller, "undo_brand_kit", key, &asked);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let show = shown(&caller.request_id);
        Ok(undo_only(&self.0, &caller, &once, asked.if_revision, show).await?.into())
    }
}

/// Returns a function that writes the answer which shows the brand kit.
fn shown(request_id: &str) -> impl FnOnce(Kept<brand_kit::BrandKit>) -> String {
    move |kept| ToolAnswer::new(request_id, BrandKitAnswer::of(Some(kept))).to_json_string()
}

impl From<UpdateBrandKit> for BrandChange {
    fn from(asked: UpdateBrandKit) -> Self {
        let UpdateBrandKit { if_revision, colors, fonts, logos, voice, caption_style } = asked;
        let line = |text: Text| text.trim().to_owned();
        Self {
            if_revision,
            colors: colors.map(|all| {
                all.into_iter().map(|one| brand_kit::Color { name: line(one.name), hex: one.hex.0 }).collect()
            }),
            fonts: fonts.map(|all| {
                all.into_iter().map(|one| brand_kit::Font { name: line(one.name), family: one.family.0 }).collect()
            }),
            logos: logos.map(|all| {
                all.into_iter().map(|one| NamedLogo { name: line(one.name), item_ref: one.item_ref.0 }).collect()
            }),
            voice: said(voice).map(|voice| voice.map(|voice| voice.0)),
            caption_style: said(caption_style).map(|style| style.map(Into::into)),
        }
    }
}

impl BrandKitAnswer {
    fn of(kept: Option<Kept<brand_kit::BrandKit>>) -> Self {
        let (revision, updated_at) = kept.as_ref().map_or((0, None), |kept| (kept.revision, Some(kept.updated_at)));
        let (kit, refs) = kept.map(|kept| (kept.body, kept.refs)).unwrap_or_default();
        let logo = |logo: brand_kit::Logo| {
            let item_ref = refs.get(&logo.item);
            BrandLogo {
                name: Text(logo.name),
                item_id: Text::of(logo.item),
                item_ref: item_ref.map(Text::of),
                item_deleted: item_ref.is_none(),
            }
        };
        let brand_kit = BrandKit {
            colors: kit.colors.into_iter().map(|one| BrandColor { name: Text(one.name), hex: Text(one.hex) }).collect(),
            fonts: kit
                .fonts
                .into_iter()
                .map(|one| BrandFont { name: Text(one.name), family: Text(one.family) })
                .collect(),
            logos: kit.logos.into_iter().map(logo).collect(),
            voice: kit.voice.map(Text),
            caption_style: kit.caption_style.map(CaptionStyle::from),
            revision,
            updated_at: updated_at.map(Time),
        };
        Self { brand_kit, families: brand_kit::FAMILIES.map(Text::from).to_vec() }
    }
}
