//! Generation models and what calls cost: `GET /models`, and the tools `list_models` and `estimate_cost` (contract §1,
//! "Models"; §4.12).
//!
//! The models are the built-in engines and those of the configured providers. Of a provider only its models' names,
//! kinds and prices are shown.

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::{NoArguments, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{CreditCount, Fields, MinuteCount, Text, Time};
use crate::resources::tools::calling::{self, Called};
use crate::resources::tools::prepare_media::ReadKind;
use crate::resources::uploads::wished_reads;
use domain::dub::offered_pair;
use domain::ids::PostId;
use domain::minutes::Minutes;
use domain::model::{BuiltIn, Per, Price};
use domain::read::Read;
use poem::http::{Method, StatusCode};
use poem::{IntoResponse, Request, Response};
use poem_openapi::payload::Json;
use poem_openapi::types::{Example, ParseFromJSON};
use poem_openapi::{Object, OpenApi};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use store::{generations, posts};

/// The error codes of these operations, besides those that any operation may return. An estimate also has its tool's.
pub const ERRORS: Refusals =
    &[("GET /models", &[]), ("POST /tools/list_models", &[]), ("POST /tools/estimate_cost", &[Code::ToolNotFound])];

/// The longest answer of a dry run that is parsed, in bytes.
const MOST_BYTES: usize = 4 << 20;

/// The model operations.
pub struct Models(pub App);

/// A generation model.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Model {
    /// Its id, as generation calls name it.
    pub id: Text,
    /// Its name, for people.
    pub name: Text,
    /// Its kind: `image`, `video`, `audio`, `speech`, `upscale`, `cutout`, `translate` or `chat`.
    pub kind: Text,
    /// The price of one unit in AI credits; 0 for a built-in engine, which is paid for in minutes.
    pub estimated_credits: CreditCount,
    /// The unit of the price: `call`, `second`, `megapixel` or `1k_chars`.
    pub per: Text,
    /// Whether it is an engine of this deployment rather than a provider's model.
    pub built_in: bool,
    /// Whether a worker has recently reported that it can use it, and it is not failing.
    pub available: bool,
    /// Since when its provider has answered no request of a worker, if that is a minute or longer, and the last of them
    /// was within an hour. Calls are taken meanwhile, and ask it again.
    pub failing_since: Option<Time>,
    /// `draft` for a simple engine.
    pub quality: Option<Text>,
    /// The pairs of languages that it translates, such as `eng-spa`; only for `apertium`, as workers recently reported.
    pub pairs: Option<Vec<Text>>,
}

/// The generation models.
#[derive(Debug, Default, Object)]
pub struct ModelList {
    /// The built-in engines, and the models of the configured providers.
    pub data: Vec<Model>,
    /// Always false: one page has all models.
    pub has_more: bool,
    /// Always null.
    pub next_cursor: Option<Text>,
}

/// The generation models, as the tool returns them.
#[derive(Debug, Default, Object)]
pub struct ModelPage {
    /// The built-in engines, and the models of the configured providers.
    pub models: Vec<Model>,
    /// Always false: one page has all models.
    pub has_more: bool,
    /// Always null.
    pub next_cursor: Option<Text>,
}

/// A call whose cost to estimate.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields, example)]
pub struct EstimateCost {
    /// The tool.
    #[oai(validator(min_length = 1, max_length = 64))]
    pub tool: Text,
    /// The arguments that the call would have.
    pub arguments: Fields,
}

impl Example for EstimateCost {
    fn example() -> Self {
        let arguments = json!({ "text": "Welcome back to the show." });
        Self { tool: "generate_audio".into(), arguments: Fields(arguments.as_object().cloned().unwrap_or_default()) }
    }
}

/// The cost of a call.
#[derive(Debug, Object)]
pub struct CostEstimate {
    /// The tool.
    pub tool: Text,
    /// Minutes that the call would hold.
    pub minutes: MinuteCount,
    /// AI credits that the call would hold.
    pub credits: CreditCount,
    /// Minutes that the reads of an item that the call imports would hold for each minute of the item, once it is
    /// fetched and its length is known; null for a call that imports nothing.
    pub minutes_per_imported_minute: Option<MinuteCount>,
    /// The answer of the call in a dry run; empty for a call that costs nothing.
    pub answer: Fields,
}

#[OpenApi(tag = "Tag::Models")]
impl Models {
    /// List generation models
    ///
    /// Lists the built-in engines, and the models of the configured providers, with their prices.
    #[oai(path = "/models", method = "get", operation_id = "get_models")]
    async fn models(&self, _auth: Auth) -> Answer<Json<ModelList>> {
        Ok(Json(ModelList { data: self.all().await?, has_more: false, next_cursor: None }))
    }

    /// List generation models
    ///
    /// The same list as `GET /models`, as a tool.
    #[oai(path = "/tools/list_models", method = "post", operation_id = "list_models")]
    async fn list_models(
        &self,
        auth: Auth,
        _arguments: Json<Option<NoArguments>>,
    ) -> Answer<Json<ToolAnswer<ModelPage>>> {
        let page = ModelPage { models: self.all().await?, has_more: false, next_cursor: None };
        Ok(ToolAnswer::new(&auth.0.request_id, page).json())
    }

    /// Estimate what a call costs
    ///
    /// Returns the minutes and AI credits that a call of a tool would hold, without making it: what the tool answers to
    /// the same arguments with `dry_run: true`. A tool that itself costs nothing is not called; what the reads of an
    /// import will cost is `minutes_per_imported_minute`. What a tool that is called would refuse is refused here too.
    #[oai(path = "/tools/estimate_cost", method = "post", operation_id = "estimate_cost")]
    async fn estimate_cost(
        &self,
        auth: Auth,
        request: &Request,
        arguments: Json<EstimateCost>,
    ) -> Answer<Called<ToolAnswer<CostEstimate>>> {
        let (Auth(caller), EstimateCost { tool, arguments }) = (auth, arguments.0);
        let path = calling::path_of(&self.0, &tool)?;
        let costs = self.0.contract.operation(&Method::POST, &path).is_some_and(|operation| operation.uses_minutes());
        if !costs {
            let minutes_per_imported_minute = self.per_imported_minute(&caller, &tool, arguments.0).await?;
            let nothing = CostEstimate {
                tool,
                minutes: MinuteCount::default(),
                credits: CreditCount::default(),
                minutes_per_imported_minute,
                answer: Fields::default(),
            };
            return Ok(Called::of(ToolAnswer::new(&caller.request_id, nothing).json().into_response()));
        }
        let mut asked = arguments.0;
        asked.insert("dry_run".to_owned(), Value::Bool(true));
        let response = calling::call(&self.0, request, caller.clone(), &path, &Value::Object(asked)).await?;
        if response.status() != StatusCode::OK {
            return Ok(Called::of(response));
        }
        Ok(Called::of(estimate(&caller, tool, response).await?.into_response()))
    }
}

impl Models {
    /// Returns the minutes that the reads of an item will hold for each minute of it, if this call imports one.
    async fn per_imported_minute(
        &self,
        caller: &Caller,
        tool: &str,
        mut arguments: Map<String, Value>,
    ) -> Answer<Option<MinuteCount>> {
        let named = match tool {
            "import_media" => arguments.remove("reads"),
            "keep_post" if arguments.get("import_media") == Some(&Value::Bool(true)) => {
                if self.is_imported(caller, arguments.get("post_id")).await? {
                    return Ok(None);
                }
                None
            }
            _ => return Ok(None),
        };
        let reads = Option::<Vec<ReadKind>>::parse_from_json(named);
        let reads = reads.map_err(|_| ApiError::new(Code::InvalidRequest, "`reads`: expected names of reads."))?;
        let reads = wished_reads(&self.0, caller, reads).await?;
        let reads: HashSet<Read> = reads.into_iter().flatten().map(Read::from).collect();
        let rates = &self.0.process.settings.rates;
        let sum = reads.into_iter().fold(Minutes::ZERO, |sum, read| sum + rates.of(read));
        Ok(Some(MinuteCount(sum)))
    }

    /// Whether the media of this post was imported before: to keep it imports nothing then.
    async fn is_imported(&self, caller: &Caller, post: Option<&Value>) -> Answer<bool> {
        let Some(post) = post.and_then(Value::as_str).and_then(|id| id.parse::<PostId>().ok()) else {
            return Ok(false);
        };
        let found = posts::find(&mut *self.0.conn().await?, post).await?;
        Ok(found.is_some_and(|row| row.workspace_id == caller.workspace.id && row.item_id.is_some()))
    }

    async fn all(&self) -> Answer<Vec<Model>> {
        let mut conn = self.0.conn().await?;
        let makers = generations::makers(&mut conn).await?;
        let failing = generations::failing(&mut conn).await?;
        let model = |id: &str, name: &str, kind: &str, price: Option<Price>| {
            let failing_since: Option<Time> = failing.iter().find(|one| one.name == id).map(|one| one.since.into());
            Model {
                id: id.into(),
                name: name.into(),
                kind: kind.into(),
                estimated_credits: price.map(|price| price.credits).unwrap_or_default().into(),
                per: price.map_or(Per::Call, |price| price.per).name().into(),
                built_in: price.is_none(),
                available: failing_since.is_none() && makers.iter().any(|maker| maker == id),
                failing_since,
                quality: price.is_none().then(|| "draft".into()),
                pairs: None,
            }
        };
        let pairs = offered_pairs(&makers);
        let built_in = BuiltIn::ALL.map(|one| {
            let plain = model(one.name(), one.name(), one.kind().name(), None);
            if one == BuiltIn::Apertium { Model { pairs: Some(pairs.clone()), ..plain } } else { plain }
        });
        let providers = self.0.process.providers.all().iter();
        let models = providers.map(|one| model(&one.id, &one.name, one.kind.name(), Some(one.price)));
        Ok(built_in.into_iter().chain(models).collect())
    }
}

/// Returns the pairs of languages among what workers can make.
fn offered_pairs(makers: &[String]) -> Vec<Text> {
    makers.iter().filter_map(|maker| maker.strip_prefix(offered_pair("").as_str())).map(Text::of).collect()
}

/// Returns the estimate in a dry run's answer.
async fn estimate(caller: &Caller, tool: Text, response: Response) -> Answer<Json<ToolAnswer<CostEstimate>>> {
    let bytes = response.into_body().into_bytes_limit(MOST_BYTES).await.map_err(ApiError::internal)?;
    let mut answer: Value = serde_json::from_slice(&bytes).map_err(ApiError::internal)?;
    let amount = |pointer: &str| answer.pointer(pointer).cloned().unwrap_or_else(|| json!(0));
    let minutes = serde_json::from_value(amount("/meta/cloud_processing/minutes")).map_err(ApiError::internal)?;
    let credits = serde_json::from_value(amount("/meta/cost/credits")).map_err(ApiError::internal)?;
    let data = answer["data"].as_object_mut().map(std::mem::take).unwrap_or_default();
    let estimate = CostEstimate {
        tool,
        minutes: MinuteCount(minutes),
        credits: CreditCount(credits),
        minutes_per_imported_minute: None,
        answer: Fields(data),
    };
    Ok(ToolAnswer::new(&caller.request_id, estimate).json())
}
