//! What a call would start and hold, without starting it (`dry_run`).
//!
//! The same look, triage and decision as a dispatch, by what the account has at this moment; but nothing is taken, locked or
//! written, so that a call after it may be decided otherwise. Idempotency keys are not asked: nothing is to be repeated.

use super::hands::means;
use super::render::{candidate, look};
use super::view::View;
use super::{Prepared, Render, RenderWish, Rendering, Wish, balance};
use common::domain::plan::{self, Answer};
use common::process::Process;
use common::store::minutes::Unfolded;

/// What these reads would come to.
pub async fn estimate(process: &Process, wish: &Wish) -> sqlx::Result<Prepared> {
    let settings = &process.settings;
    let mut conn = process.pool.acquire().await?;
    let triage = View::read(&mut conn, wish).await?.triage(wish, settings);
    let balance = balance(&mut conn, wish.owners, settings.monthly_minutes, Unfolded::CountedIn).await?;
    let decided = plan::decide(triage.candidates.clone(), &mut means(&balance), &settings.rates);
    let answers: Vec<Answer> = decided
        .into_iter()
        .map(|decided| match decided {
            Ok(start) => Answer::Startable { estimate: start.held() },
            Err(reason) => Answer::Not(reason),
        })
        .collect();
    Ok(triage.prepared(wish, &answers, balance))
}

/// What this render would come to.
pub async fn estimate_render(process: &Process, wish: &RenderWish) -> sqlx::Result<Render> {
    let settings = &process.settings;
    let mut conn = process.pool.acquire().await?;
    let balance = balance(&mut conn, wish.owners, settings.monthly_minutes, Unfolded::CountedIn).await?;
    if let Some(state) = look(&mut conn, process, wish, &wish.plan.hash()).await? {
        return Ok(Render { state, balance });
    }
    let decided = plan::decide(vec![candidate(wish)], &mut means(&balance), &settings.rates).pop();
    let state = match decided {
        Some(Ok(start)) => Rendering::Startable { estimate: start.held() },
        Some(Err(reason)) => Rendering::Not(reason),
        None => return Err(sqlx::Error::Protocol("a decision about one render gave none".to_owned())),
    };
    Ok(Render { state, balance })
}
