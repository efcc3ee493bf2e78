//! Which languages can be dubbed into: the refusal of a dub that no worker can translate or speak, with the languages
//! that there are.

use super::segments::refuse_misnamed;
use super::shapes::MakeDub;
use crate::app::App;
use crate::http::error::{Answer, ApiError, Code};
use domain::dub::{Lack, Language, lack_of_translation, lack_of_voices, usual_voice};
use store::generations;

/// Refuses a dub that no worker could translate or speak, before a read is started or a film is rendered for it.
/// `source` is the language that is spoken, once it is known. Each voice that the request names is needed: one of a
/// speaker who does not speak is refused too, once that is known.
///
/// # Errors
/// `engine_not_configured`; `invalid_request` for what can't be the name of a voice.
pub(super) async fn refuse_undubbable(
    app: &App,
    asked: &MakeDub,
    source: Option<&Language>,
    target: &Language,
) -> Answer<()> {
    let named = asked.voices.as_deref().unwrap_or_default();
    refuse_misnamed(named)?;
    let offered = generations::makers(&mut *app.conn().await?).await?;
    let usual = named.is_empty().then(|| usual_voice(target, 0));
    let voices = named.iter().map(|one| &*one.voice.0).chain(usual.as_deref());
    let lack = lack_of_voices(voices, target, &offered);
    let model = app.process.providers.translator().map(|model| model.id.as_str());
    match lack.or_else(|| lack_of_translation(model, source, target, &offered)) {
        Some(lack) => Err(refusal_of(&lack)),
        None => Ok(()),
    }
}

/// Returns the refusal when no worker can translate or speak a dub.
pub(super) fn refusal_of(lack: &Lack) -> ApiError {
    let (message, suggested) = match lack {
        Lack::Engine(name) => (
            format!("No worker speaks by `{name}` now."),
            "`list_models` says what is available; the operator installs it with `make setup`.",
        ),
        Lack::Model(id) => (
            format!("Dubs are translated by `{id}`, which no worker can ask now."),
            "`list_models` says what is available; send `script` with the text in the language.",
        ),
        Lack::Name(voice) => (
            format!("No worker has a voice `{voice}`."),
            "Name a voice in `voices` by its language, such as `es` or `es+f3`, or as `espeak-ng --voices` names it.",
        ),
        Lack::Voice { language, offered } => (
            format!("No worker has a voice for `{language}`. There are voices for {}.", offered.join(", ")),
            "Dub into one of these languages, or name a voice of one in `voices`.",
        ),
        Lack::Pair { source, target, offered } => {
            let from = source.as_ref().map(|one| format!(" from `{one}`")).unwrap_or_default();
            let pair = source.as_ref().map(|one| format!(" ({})", one.pair(target))).unwrap_or_default();
            let there = if offered.is_empty() { "none".to_owned() } else { offered.join(", ") };
            (
                format!("No worker translates{from} into `{target}`{pair}. The pairs of languages are: {there}."),
                "Dub into one of these languages, or send `script` with the text in the language.",
            )
        }
    };
    ApiError::new(Code::EngineNotConfigured, message).suggest(suggested)
}
