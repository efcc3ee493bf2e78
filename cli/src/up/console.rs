//! The one-time link to the operators' pages that `mws up` prints.

use crate::data_dir::Credentials;
use api::http::API_PATH;
use api::usecases::operator::console::CODE_SECONDS;
use domain::credential::{ConsoleCode, CredentialHash};
use domain::operator::Operators;
use runtime::process::Process;
use store::console_passes::{self, NewCode};

/// Makes a link for the operator whose token the data folder has: whoever started the service may see its console.
pub(super) async fn link(process: &Process, credentials: &Credentials) -> anyhow::Result<String> {
    let settings = &process.settings;
    let operators = Operators::read(settings.operator_token.as_ref(), settings.operator_tokens.as_ref())?;
    let token_hash = CredentialHash::of(&credentials.operator_token);
    let base_url = credentials.operator_base_url.as_ref().unwrap_or(&credentials.base_url);
    let address = base_url.trim_end_matches(API_PATH);
    let Some(operator) = operators.find(&token_hash) else { return Ok(format!("{address}/console")) };
    let code = ConsoleCode::from_random(rand::random());
    let new = NewCode { hash: code.hash(), operator: &operator.name, token_hash, seconds: CODE_SECONDS };
    console_passes::add_code(&mut *process.pool.acquire().await?, &new).await?;
    Ok(format!("{address}/console/in/{}", code.expose()))
}
