//! Every group of operations, named once: what is served, and what the OpenAPI document describes.
//!
//! To add a group: its file, a line in [`Routes`], one in [`all`] and one in [`ERRORS`].

use crate::app::App;
use crate::contract::groups::Refusals;
use crate::resources::account::{audit, balances, keys, members, sessions, workspaces};
use crate::resources::events::{self, stream};
use crate::resources::webhooks::{self, deliveries, secret};
use crate::resources::{library, media, models, operator, overview, projects, thumbnails, tools, uploads};

/// The groups. At most sixteen a tuple, so tools have two, routes and operators' routes one each.
pub type Routes = (Tools, WorkspaceTools, Resources, Operators);
type Tools = (
    tools::list::ToolRegistry,
    tools::prepare_media::PrepareMedia,
    tools::jobs::Jobs,
    tools::session::SessionTools,
    tools::library::LibraryTools,
    tools::readings::Readings,
    tools::edits::Edits,
    tools::search_footage::SearchFootage,
    tools::boards::BoardTools,
    tools::comments::CommentTools,
    tools::public_links::PublicLinkTools,
    tools::research::ResearchTools,
    models::Models,
    overview::Overview,
);
/// The tools of a workspace's own things, and who acts there.
type WorkspaceTools = (
    tools::brand_kit::BrandKitTools,
    tools::calendar::CalendarTools,
    tools::settings::SettingsTools,
    tools::skills::SkillTools,
    tools::templates::TemplateTools,
    tools::timelines::TimelineTools,
    tools::timelines::render::RenderTools,
    tools::timelines::carry::CarryTools,
    workspaces::Workspaces,
    members::Members,
);
type Resources = (
    balances::Balances,
    keys::Keys,
    audit::Audits,
    sessions::Sessions,
    uploads::Uploads,
    library::Library,
    thumbnails::Thumbnails,
    media::Media,
    webhooks::Webhooks,
    deliveries::Deliveries,
    secret::WebhookSecrets,
    projects::Projects,
    projects::ProjectDeliveries,
    events::Events,
    stream::EventStreams,
);
type Operators = (
    operator::accounts::OperatorAccounts,
    operator::suspension::OperatorSuspensions,
    operator::keys::OperatorKeys,
    operator::erasure::OperatorErasures,
    operator::users::OperatorUsers,
    operator::workspaces::OperatorWorkspaces,
    operator::members::OperatorMembers,
    operator::minutes::OperatorMinutes,
    operator::reads::OperatorReads,
    operator::jobs::OperatorJobs,
    operator::deliveries::OperatorDeliveries,
    operator::audit::OperatorAudit,
    operator::report::OperatorReports,
    operator::console::OperatorConsole,
);

/// The groups, ready to serve.
pub fn all(app: &App) -> Routes {
    let tools = (
        tools::list::ToolRegistry(app.clone()),
        tools::prepare_media::PrepareMedia(app.clone()),
        tools::jobs::Jobs(app.clone()),
        tools::session::SessionTools(app.clone()),
        tools::library::LibraryTools(app.clone()),
        tools::readings::Readings(app.clone()),
        tools::edits::Edits(app.clone()),
        tools::search_footage::SearchFootage(app.clone()),
        tools::boards::BoardTools(app.clone()),
        tools::comments::CommentTools(app.clone()),
        tools::public_links::PublicLinkTools(app.clone()),
        tools::research::ResearchTools(app.clone()),
        models::Models,
        overview::Overview(app.clone()),
    );
    let workspace_tools = (
        tools::brand_kit::BrandKitTools(app.clone()),
        tools::calendar::CalendarTools(app.clone()),
        tools::settings::SettingsTools(app.clone()),
        tools::skills::SkillTools(app.clone()),
        tools::templates::TemplateTools(app.clone()),
        tools::timelines::TimelineTools(app.clone()),
        tools::timelines::render::RenderTools(app.clone()),
        tools::timelines::carry::CarryTools(app.clone()),
        workspaces::Workspaces(app.clone()),
        members::Members(app.clone()),
    );
    let resources = (
        balances::Balances(app.clone()),
        keys::Keys(app.clone()),
        audit::Audits(app.clone()),
        sessions::Sessions(app.clone()),
        uploads::Uploads(app.clone()),
        library::Library(app.clone()),
        thumbnails::Thumbnails(app.clone()),
        media::Media(app.clone()),
        webhooks::Webhooks(app.clone()),
        deliveries::Deliveries(app.clone()),
        secret::WebhookSecrets(app.clone()),
        projects::Projects(app.clone()),
        projects::ProjectDeliveries(app.clone()),
        events::Events(app.clone()),
        stream::EventStreams::new(app),
    );
    let operators = (
        operator::accounts::OperatorAccounts(app.clone()),
        operator::suspension::OperatorSuspensions(app.clone()),
        operator::keys::OperatorKeys(app.clone()),
        operator::erasure::OperatorErasures(app.clone()),
        operator::users::OperatorUsers(app.clone()),
        operator::workspaces::OperatorWorkspaces(app.clone()),
        operator::members::OperatorMembers(app.clone()),
        operator::minutes::OperatorMinutes(app.clone()),
        operator::reads::OperatorReads(app.clone()),
        operator::jobs::OperatorJobs(app.clone()),
        operator::deliveries::OperatorDeliveries(app.clone()),
        operator::audit::OperatorAudit(app.clone()),
        operator::report::OperatorReports(app.clone()),
        operator::console::OperatorConsole(app.clone()),
    );
    (tools, workspace_tools, resources, operators)
}

/// Each group's refusals.
pub const ERRORS: &[Refusals] = &[
    tools::list::ERRORS,
    tools::prepare_media::ERRORS,
    tools::jobs::ERRORS,
    tools::session::ERRORS,
    tools::library::ERRORS,
    tools::readings::ERRORS,
    tools::edits::ERRORS,
    tools::search_footage::ERRORS,
    tools::boards::ERRORS,
    tools::brand_kit::ERRORS,
    tools::calendar::ERRORS,
    tools::settings::ERRORS,
    tools::skills::ERRORS,
    tools::templates::ERRORS,
    tools::comments::ERRORS,
    tools::timelines::ERRORS,
    tools::timelines::render::ERRORS,
    tools::timelines::carry::ERRORS,
    tools::public_links::ERRORS,
    tools::research::ERRORS,
    models::ERRORS,
    overview::ERRORS,
    balances::ERRORS,
    keys::ERRORS,
    audit::ERRORS,
    workspaces::ERRORS,
    members::ERRORS,
    sessions::ERRORS,
    uploads::ERRORS,
    library::ERRORS,
    thumbnails::ERRORS,
    media::ERRORS,
    webhooks::ERRORS,
    deliveries::ERRORS,
    secret::ERRORS,
    projects::ERRORS,
    projects::LOG_ERRORS,
    events::ERRORS,
    stream::ERRORS,
    operator::accounts::ERRORS,
    operator::suspension::ERRORS,
    operator::keys::ERRORS,
    operator::erasure::ERRORS,
    operator::users::ERRORS,
    operator::workspaces::ERRORS,
    operator::members::ERRORS,
    operator::minutes::ERRORS,
    operator::reads::ERRORS,
    operator::jobs::ERRORS,
    operator::deliveries::ERRORS,
    operator::audit::ERRORS,
    operator::report::ERRORS,
    operator::console::ERRORS,
];
