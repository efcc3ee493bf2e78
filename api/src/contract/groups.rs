//! What every group of operations declares beside its handlers: its tag, and the codes that it may refuse with.

use crate::http::error::Code;
use poem_openapi::Tags;

/// The codes an operation may refuse with, beside those that every operation shares (`openapi::refusals`).
/// The key is the method and the path: `"POST /keys"`.
pub type Refusals = &'static [(&'static str, &'static [Code])];

/// The groups of contract §1.
#[derive(Debug, Clone, Copy, Tags)]
pub enum Tag {
    /// The list of tools.
    Discovery,
    /// Jobs, and the projects an agent works on.
    Workspace,
    /// Items, search, import and reading media.
    Library,
    /// Posts of feeds and pages, pulled and kept.
    Research,
    /// Video editing and rendering.
    Timeline,
    /// Still editing and rendering.
    Canvas,
    /// Pictures, films, sound, upscaling and cutouts by models.
    Generation,
    /// Balances, keys, workspaces and script sessions.
    Account,
    /// Presigned uploads, and uploads by URL.
    Uploads,
    /// Endpoints, the signing secret and deliveries.
    Webhooks,
    /// Generation models and cost estimates.
    Models,
    /// What operators of the deployment do, with a token of theirs.
    Operator,
}
