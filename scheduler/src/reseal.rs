//! Seals secrets again under the current key, so that the old key can be removed (docs/operations.md).
//!
//! `/readyz` shows how many seals are left to do, and how many no configured key opens. A seal that can't be opened is
//! left alone: its key may come back.

use runtime::process::Process;
use runtime::seal::{SealError, Sealer};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use store::webhook_secrets::{self, Seals, purpose};

/// Accounts in one transaction.
const BATCH: i64 = 100;

/// Reseals until there is nothing left to do. Returns how many accounts' secrets were sealed again.
pub async fn run_once(process: &Process) -> sqlx::Result<u64> {
    let sealer = Sealer::of(&process.settings).unwrap_or_else(|error| {
        tracing::error!(error = %error, "Secrets can't be sealed anew.");
        None
    });
    let Some(sealer) = sealer else { return Ok(0) };
    let headers = sealer.headers();
    let (mut done, mut after) = (0, None);
    if let Some((_, old)) = headers.split_first().filter(|(_, old)| !old.is_empty()) {
        loop {
            let mut tx = process.pool.begin().await?;
            let found = webhook_secrets::lock_sealed_under(&mut tx, old, after, BATCH).await?;
            for seals in &found {
                match anew(&sealer, seals) {
                    Ok(new) => {
                        webhook_secrets::reseal(&mut tx, &new).await?;
                        done += 1;
                    }
                    Err(error) => tracing::error!(
                        account.id = %seals.account_id, error = %error,
                        "A signing secret can't be sealed anew: its bytes are damaged."
                    ),
                }
            }
            tx.commit().await?;
            after = found.last().map(|seals| seals.account_id);
            if found.is_empty() || process.shutdown.is_cancelled() {
                break;
            }
        }
    }
    if done > 0 {
        tracing::info!(accounts = done, "Signing secrets were sealed anew under the current key.");
    }
    tell(process, &headers).await?;
    Ok(done)
}

/// Returns the same secrets, sealed under the current key. One that no key opens is left alone: its key may come back.
fn anew(sealer: &Sealer, seals: &Seals) -> Result<Seals, SealError> {
    let purpose = purpose(seals.account_id);
    let again = |old: &Vec<u8>| match sealer.open(old, &purpose) {
        Err(SealError::UnknownKey) => Ok(old.clone()),
        plain => sealer.seal(plain?.expose_secret(), &purpose, rand::random()),
    };
    let previous_sealed = seals.previous_sealed.as_ref().map(again).transpose()?;
    Ok(Seals { account_id: seals.account_id, sealed: again(&seals.sealed)?, previous_sealed })
}

/// Reports how many seals there are under old keys and under unknown ones.
async fn tell(process: &Process, headers: &[Vec<u8>]) -> sqlx::Result<()> {
    let (mut old, mut unknown) = (0, 0);
    for seals in webhook_secrets::by_key(&mut *process.pool.acquire().await?).await? {
        match headers.iter().position(|header| *header == seals.header) {
            Some(0) => {}
            Some(_) => old += seals.count,
            None => unknown += seals.count,
        }
    }
    for (key, count) in [("old", old), ("unknown", unknown)] {
        metrics::gauge!("mws_seals", "key" => key).set(f64::from(u32::try_from(count).unwrap_or(u32::MAX)));
    }
    let clean = old == 0 && unknown == 0;
    process
        .signs
        .note("seals", if clean { Value::Null } else { json!({ "of_old_keys": old, "of_unknown_keys": unknown }) });
    Ok(())
}
