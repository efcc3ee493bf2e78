//! Compares the decoding that is needed to reach parts in the middle of films with what is paid for it.
//!
//! The price counts one second or ten before such a part, as key pictures usually are; where they really are is known
//! when the films are at hand.

use super::{ItemMedia, material};
use crate::readers::decode::gone_through_ms;
use crate::readers::{JobCtx, ReadError};
use domain::ids::ItemId;
use std::collections::HashMap;

/// How many times as much decoding as is paid for is allowed.
const TIMES: i64 = 2;
/// Milliseconds of film that are allowed on top, for a plan of few parts.
const BESIDE_MS: i64 = 3_000;

/// Refuses a plan whose parts, at these seconds of its items, take far more decoding to reach than `paid_ms` of film.
pub(super) async fn refuse_unpaid(
    begun: &HashMap<ItemId, Vec<i64>>,
    sources: &HashMap<ItemId, ItemMedia>,
    paid_ms: i64,
    ctx: &JobCtx,
) -> Result<(), ReadError> {
    let mut worth_ms = 0_i64;
    for (item, seconds) in begun {
        let source = sources.get(item).ok_or(ReadError::Missing)?;
        let gone_ms = gone_through_ms(&source.media, seconds, ctx).await?;
        worth_ms = worth_ms.saturating_add(material(&source.media).pictures.decoded_worth_ms(gone_ms));
    }
    if worth_ms <= paid_ms.saturating_mul(TIMES).saturating_add(BESIDE_MS) {
        return Ok(());
    }
    tracing::info!(worth_ms, paid_ms, "More would be gone through than is paid for.");
    Err(ReadError::Unsupported(
        "the key pictures of its films are too far apart to begin at its parts; encode the films anew with one every \
         few seconds",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::tests::{Studio, an_hour};

    #[tokio::test]
    async fn parts_of_a_film_with_one_key_picture_are_refused_and_those_of_others_are_not() {
        let studio = Studio::new();
        let picture = "color=black:s=1920x1080:r=1:d=300";
        let once = studio.make("once.mp4", picture, &["-c:v", "mpeg4", "-g", "600", "-sc_threshold", "1000000000"]);
        let often = studio.make("often.mp4", picture, &["-c:v", "mpeg4", "-g", "10"]);
        let late: Vec<i64> = (0..20).map(|part| 290 - part).collect();
        let judged = async |path, seconds: &[i64], paid_ms| {
            let (item, media) = (ItemId::mint(), studio.open(path, &an_hour()).await.unwrap());
            let sources = HashMap::from([(item, ItemMedia { media, duration_ms: 300_000 })]);
            refuse_unpaid(&HashMap::from([(item, seconds.to_vec())]), &sources, paid_ms, &an_hour()).await
        };
        let refused = judged(&once, &late, 6_000).await;
        assert!(matches!(refused, Err(ReadError::Unsupported(_))), "{refused:?}");
        judged(&once, &late, 60_000).await.expect("it is paid for");
        judged(&once, &late[..1], 1_000).await.expect("one part is gone through to");
        judged(&often, &late, 6_000).await.expect("begun near each part");
        judged(&once, &[], 0).await.expect("nothing is begun in its middle");
    }
}
