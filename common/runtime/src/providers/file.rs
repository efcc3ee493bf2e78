//! Parses the file of providers: `[[model]]` tables, checked one by one, every mistake explained in words.

use super::{Endpoint, KeyPlace, Limits, MOST_MODELS, Model};
use domain::credits::Credits;
use domain::model::{BuiltIn, Dialect, ModelKind, Per, Price};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// Characters that a model's id has at most.
const ID_CHARS: usize = 64;
/// The highest price: a higher one is a typing error.
const DEAREST: Credits = Credits::from_whole(1_000_000);
/// Seconds that a model may take by default, and at most.
const USUAL_SECONDS: u64 = 300;
const LONGEST_SECONDS: u64 = 3_600;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    model: Vec<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    id: String,
    name: Option<String>,
    kind: ModelKind,
    dialect: Dialect,
    url: String,
    key_env: Option<String>,
    key_file: Option<PathBuf>,
    price: PriceTable,
    timeout: Option<u64>,
    idempotent: Option<bool>,
    #[serde(default)]
    limits: LimitsTable,
    #[serde(default)]
    defaults: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceTable {
    per: Per,
    credits: Amount,
}

/// Whole credits, or with decimals.
#[derive(Deserialize)]
#[serde(untagged)]
enum Amount {
    Whole(i64),
    Decimal(f64),
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsTable {
    chars: Option<usize>,
    seconds: Option<u32>,
    megapixels: Option<u32>,
    input_bytes: Option<u64>,
    output_bytes: Option<u64>,
}

/// Returns the models in a text, or the first mistake in it.
pub(super) fn models(text: &str) -> Result<Vec<Model>, String> {
    // The line itself is not quoted: it may contain a key.
    let file: File = toml::from_str(text).map_err(|error| {
        let line =
            error.span().and_then(|span| text.get(..span.start)).map_or(1, |before| before.lines().count().max(1));
        format!("line {line}: {}", error.message())
    })?;
    if file.model.len() > MOST_MODELS {
        return Err(format!("there are more than {MOST_MODELS} models"));
    }
    let mut models: Vec<Model> = Vec::with_capacity(file.model.len());
    for table in file.model {
        let id = table.id.clone();
        let model = model(table).map_err(|why| format!("model `{id}`: {why}"))?;
        if models.iter().any(|other| other.id == model.id) {
            return Err(format!("model `{id}` is there twice"));
        }
        models.push(model);
    }
    Ok(models)
}

fn model(table: Table) -> Result<Model, String> {
    let Table { id, name, kind, dialect, url, key_env, key_file, price, timeout, idempotent, limits, defaults } = table;
    let is_id = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
    if id.is_empty() || id.len() > ID_CHARS || !id.bytes().all(is_id) {
        return Err(format!("an id has up to {ID_CHARS} lower-case letters, digits, dots, dashes and underscores"));
    }
    if BuiltIn::from_name(&id).is_some() {
        return Err("that is the name of an engine that is built in".to_owned());
    }
    if !dialect.speaks_of(kind) {
        return Err(format!("there is no `kind` {} in this dialect", kind.name()));
    }
    let key = match (key_env, key_file) {
        (None, None) => KeyPlace::Nowhere,
        (Some(name), None) => KeyPlace::Variable(name),
        (None, Some(path)) => KeyPlace::File(path),
        (Some(_), Some(_)) => return Err("say `key_env` or `key_file`, not both".to_owned()),
    };
    let timeout = timeout.unwrap_or(USUAL_SECONDS);
    if !(1..=LONGEST_SECONDS).contains(&timeout) {
        return Err(format!("`timeout` must be from 1 to {LONGEST_SECONDS} seconds"));
    }
    Ok(Model {
        name: name.unwrap_or_else(|| id.clone()),
        id,
        kind,
        dialect,
        url: endpoint(&url)?,
        key,
        price: priced(&price, kind)?,
        timeout: Duration::from_secs(timeout),
        // Requests to Cog have ids that we choose; requests to OpenAI have none.
        idempotent: idempotent.unwrap_or(dialect == Dialect::Cog),
        limits: bounded(&limits, kind)?,
        defaults,
    })
}

/// Checks a URL that paths are appended to. Errors don't quote it: it may contain a secret.
fn endpoint(text: &str) -> Result<Endpoint, String> {
    let url = Url::parse(text).map_err(|error| format!("`url`: {error}"))?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err("`url` must be http or https".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err("`url` must hold no credentials, query or fragment: name the key in `key_env`".to_owned());
    }
    Ok(Endpoint(url))
}

fn priced(price: &PriceTable, kind: ModelKind) -> Result<Price, String> {
    let text = match price.credits {
        Amount::Whole(whole) => whole.to_string(),
        Amount::Decimal(decimal) => decimal.to_string(),
    };
    let credits: Credits = text.parse().map_err(|why| format!("`price.credits`: {why}"))?;
    if credits > DEAREST {
        return Err(format!("`price.credits` is more than {DEAREST}"));
    }
    if !kind.takes(price.per) {
        let (kind, per) = (kind.name(), price.per.name());
        return Err(format!("a price per {per} can't be known before a `{kind}` model runs; say another `price.per`"));
    }
    Ok(Price { per: price.per, credits })
}

fn bounded(table: &LimitsTable, kind: ModelKind) -> Result<Limits, String> {
    let most = Limits::usual(kind);
    let limits = Limits {
        chars: table.chars.unwrap_or(most.chars),
        seconds: table.seconds.unwrap_or(most.seconds),
        megapixels: table.megapixels.unwrap_or(most.megapixels),
        input_bytes: table.input_bytes.unwrap_or(most.input_bytes),
        output_bytes: table.output_bytes.unwrap_or(most.output_bytes),
    };
    let within = (1..=most.chars).contains(&limits.chars)
        && (1..=3_600).contains(&limits.seconds)
        && (1..=64).contains(&limits.megapixels)
        && (1..=256 << 20).contains(&limits.input_bytes)
        && (1..=8 << 30).contains(&limits.output_bytes);
    if within {
        return Ok(limits);
    }
    Err(format!(
        "`limits` go up to {} `chars`, 3600 `seconds`, 64 `megapixels`, 268435456 `input_bytes`, \
         8589934592 `output_bytes`, and none is 0",
        most.chars
    ))
}
