//! Every group of operations, named once: what is served, and what the OpenAPI document describes.
//!
//! To add a group: its file, a line in [`Routes`], one in [`all`] and one in [`ERRORS`].

use crate::app::App;
use crate::operation::Refusals;
use crate::{
    balances, deliveries, event_stream, keys, library, models, projects, sessions, thumbnails, tools, uploads,
    webhook_secret, webhooks, workspaces,
};

/// The groups. At most sixteen a tuple, so tools and routes have one each.
pub type Routes = (Tools, Resources);
type Tools = (
    tools::list::ToolRegistry,
    tools::prepare_media::PrepareMedia,
    tools::jobs::Jobs,
    tools::session::SessionTools,
    tools::library::LibraryTools,
    tools::readings::Readings,
    tools::search_footage::SearchFootage,
    models::Models,
);
type Resources = (
    balances::Balances,
    keys::Keys,
    workspaces::Workspaces,
    sessions::Sessions,
    uploads::Uploads,
    library::Library,
    thumbnails::Thumbnails,
    webhooks::Webhooks,
    deliveries::Deliveries,
    webhook_secret::WebhookSecrets,
    projects::Projects,
    projects::ProjectDeliveries,
    event_stream::EventStreams,
);

/// The groups, ready to serve.
pub fn all(app: &App) -> Routes {
    let tools = (
        tools::list::ToolRegistry,
        tools::prepare_media::PrepareMedia(app.clone()),
        tools::jobs::Jobs(app.clone()),
        tools::session::SessionTools(app.clone()),
        tools::library::LibraryTools(app.clone()),
        tools::readings::Readings(app.clone()),
        tools::search_footage::SearchFootage(app.clone()),
        models::Models,
    );
    let resources = (
        balances::Balances(app.clone()),
        keys::Keys(app.clone()),
        workspaces::Workspaces(app.clone()),
        sessions::Sessions(app.clone()),
        uploads::Uploads(app.clone()),
        library::Library(app.clone()),
        thumbnails::Thumbnails(app.clone()),
        webhooks::Webhooks(app.clone()),
        deliveries::Deliveries(app.clone()),
        webhook_secret::WebhookSecrets(app.clone()),
        projects::Projects(app.clone()),
        projects::ProjectDeliveries(app.clone()),
        event_stream::EventStreams::new(app),
    );
    (tools, resources)
}

/// Each group's refusals.
pub const ERRORS: &[Refusals] = &[
    tools::list::ERRORS,
    tools::prepare_media::ERRORS,
    tools::jobs::ERRORS,
    tools::session::ERRORS,
    tools::library::ERRORS,
    tools::readings::ERRORS,
    tools::search_footage::ERRORS,
    models::ERRORS,
    balances::ERRORS,
    keys::ERRORS,
    workspaces::ERRORS,
    sessions::ERRORS,
    uploads::ERRORS,
    library::ERRORS,
    thumbnails::ERRORS,
    webhooks::ERRORS,
    deliveries::ERRORS,
    webhook_secret::ERRORS,
    projects::ERRORS,
    projects::LOG_ERRORS,
    event_stream::ERRORS,
];
