//! What a call would start and hold, without starting it (`dry_run`).
//!
//! The same look, triage and decision as a dispatch, by what the account has at this moment; but nothing is taken, locked or
//! written, so that a call after it may be decided otherwise. Idempotency keys are not asked: nothing is to be repeated.

use super::render::{candidate, look};
use super::taken_reads::budget;
use super::view::View;
use super::{DispatchError, DispatchRequest, Prepared, Render, RenderRequest, Rendering, balance};
use domain::plan::{self, Answer};
use runtime::process::Process;
use store::minutes::Unfolded;

/// What these reads would come to.
pub async fn estimate(process: &Process, request: &DispatchRequest) -> Result<Prepared, DispatchError> {
    let settings = &process.settings;
    let mut conn = process.pool.acquire().await?;
    let triage = View::read(&mut conn, request).await?.triage(request, settings);
    let balance = balance(&mut conn, request.owners, settings.monthly_minutes, Unfolded::CountedIn).await?;
    let decided = plan::decide(triage.candidates.clone(), &mut budget(&balance), &settings.rates);
    let answers: Vec<Answer> = decided
        .into_iter()
        .map(|decided| match decided {
            Ok(start) => Answer::Startable { estimate: start.held() },
            Err(reason) => Answer::Not(reason),
        })
        .collect();
    Ok(triage.prepared(request, &answers, balance))
}

/// What this render would come to.
pub async fn estimate_render(process: &Process, request: &RenderRequest) -> Result<Render, DispatchError> {
    let settings = &process.settings;
    let mut conn = process.pool.acquire().await?;
    let balance = balance(&mut conn, request.owners, settings.monthly_minutes, Unfolded::CountedIn).await?;
    if let Some(state) = look(&mut conn, process, request, &request.plan.hash()).await? {
        return Ok(Render { state, balance });
    }
    let decided = plan::decide(vec![candidate(request)], &mut budget(&balance), &settings.rates).pop();
    let state = match decided {
        Some(Ok(start)) => Rendering::Startable { estimate: start.held() },
        Some(Err(reason)) => Rendering::Not(reason),
        None => unreachable!("`plan::decide` decides about every candidate"),
    };
    Ok(Render { state, balance })
}
