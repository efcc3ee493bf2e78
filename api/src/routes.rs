//! All groups of operations: what is served, and what the OpenAPI document describes.
//!
//! To add a group, write its file and a line in the list below.

use crate::app::App;
use crate::contract::groups::Refusals;
use crate::resources::account::{audit, balances, keys, members, portal, sessions, statement, workspaces};
use crate::resources::events::{self, stream};
use crate::resources::webhooks::{self, deliveries, secret};
use crate::resources::{library, media, models, operator, overview, projects, thumbnails, tools, uploads};

/// The function that makes a group from an [`App`]: the group's constructor, unless another is named.
macro_rules! maker {
    ($group:path) => {
        $group
    };
    ($group:path, $make:path) => {
        $make
    };
}

/// Lists of groups, each group with the codes that its operations may refuse with. A list has sixteen groups at most,
/// as many as a tuple that serves them.
macro_rules! groups {
    ($( $(#[$doc:meta])* $list:ident { $( $group:path $(= $make:path)?, $errors:path; )* } )*) => {
        $( $(#[$doc])* type $list = ($( $group, )*); )*

        /// The groups.
        pub type Routes = ($( $list, )*);

        /// The groups, ready to serve.
        pub fn all(app: &App) -> Routes {
            ($( ($( maker!($group $(, $make)?)(app.clone()), )*), )*)
        }

        /// Each group's refusals.
        pub const ERRORS: &[Refusals] = &[$( $( $errors, )* )*];
    };
}

groups! {
    /// The tools.
    Tools {
        tools::list::ToolRegistry, tools::list::ERRORS;
        tools::prepare_media::PrepareMedia, tools::prepare_media::ERRORS;
        tools::jobs::Jobs, tools::jobs::ERRORS;
        tools::session::SessionTools, tools::session::ERRORS;
        tools::library::LibraryTools, tools::library::ERRORS;
        tools::readings::Readings, tools::readings::ERRORS;
        tools::edits::Edits, tools::edits::ERRORS;
        tools::search_footage::SearchFootage, tools::search_footage::ERRORS;
        tools::boards::BoardTools, tools::boards::ERRORS;
        tools::comments::CommentTools, tools::comments::ERRORS;
        tools::public_links::PublicLinkTools, tools::public_links::ERRORS;
        tools::research::ResearchTools, tools::research::ERRORS;
        models::Models, models::ERRORS;
        tools::generation::GenerationTools, tools::generation::ERRORS;
        tools::dubs::DubTools, tools::dubs::ERRORS;
        overview::Overview, overview::ERRORS;
    }
    /// The tools of a workspace's own things, and who acts there.
    WorkspaceTools {
        tools::brand_kit::BrandKitTools, tools::brand_kit::ERRORS;
        tools::calendar::CalendarTools, tools::calendar::ERRORS;
        tools::settings::SettingsTools, tools::settings::ERRORS;
        tools::skills::SkillTools, tools::skills::ERRORS;
        tools::templates::TemplateTools, tools::templates::ERRORS;
        tools::timelines::TimelineTools, tools::timelines::ERRORS;
        tools::timelines::render::RenderTools, tools::timelines::render::ERRORS;
        tools::timelines::carry::CarryTools, tools::timelines::carry::ERRORS;
        tools::canvases::CanvasTools, tools::canvases::ERRORS;
        tools::canvases::render::RenderTools, tools::canvases::render::ERRORS;
        workspaces::Workspaces, workspaces::ERRORS;
        members::Members, members::ERRORS;
    }
    /// The routes.
    Resources {
        balances::Balances, balances::ERRORS;
        keys::Keys, keys::ERRORS;
        audit::Audits, audit::ERRORS;
        sessions::Sessions, sessions::ERRORS;
        uploads::Uploads, uploads::ERRORS;
        library::Library, library::ERRORS;
        thumbnails::Thumbnails, thumbnails::ERRORS;
        media::Media, media::ERRORS;
        webhooks::Webhooks, webhooks::ERRORS;
        deliveries::Deliveries, deliveries::ERRORS;
        secret::WebhookSecrets, secret::ERRORS;
        projects::Projects, projects::ERRORS;
        projects::ProjectDeliveries, projects::LOG_ERRORS;
        projects::ProjectMessages, projects::MESSAGE_ERRORS;
        events::Events, events::ERRORS;
        stream::EventStreams = stream::EventStreams::new, stream::ERRORS;
    }
    /// The operators' routes.
    Operators {
        operator::accounts::OperatorAccounts, operator::accounts::ERRORS;
        operator::suspension::OperatorSuspensions, operator::suspension::ERRORS;
        operator::keys::OperatorKeys, operator::keys::ERRORS;
        operator::erasure::OperatorErasures, operator::erasure::ERRORS;
        operator::users::OperatorUsers, operator::users::ERRORS;
        operator::workspaces::OperatorWorkspaces, operator::workspaces::ERRORS;
        operator::members::OperatorMembers, operator::members::ERRORS;
        operator::minutes::OperatorMinutes, operator::minutes::ERRORS;
        operator::credits::OperatorCredits, operator::credits::ERRORS;
        operator::reads::OperatorReads, operator::reads::ERRORS;
        operator::jobs::OperatorJobs, operator::jobs::ERRORS;
        operator::deliveries::OperatorDeliveries, operator::deliveries::ERRORS;
        operator::webhooks::OperatorWebhooks, operator::webhooks::ERRORS;
        operator::bulk_operations::OperatorBulkOperations, operator::bulk_operations::ERRORS;
        operator::audit::OperatorAudit, operator::audit::ERRORS;
        operator::report::OperatorReports, operator::report::ERRORS;
    }
    /// How jobs failed, what is kept, statements, and links to pages for browsers.
    Pages {
        operator::errors::OperatorErrors, operator::errors::ERRORS;
        operator::retention::OperatorRetention, operator::retention::ERRORS;
        operator::statement::OperatorStatements, operator::statement::ERRORS;
        operator::console::OperatorConsole, operator::console::ERRORS;
        operator::portal::OperatorPortal, operator::portal::ERRORS;
        portal::PortalSessions, portal::ERRORS;
        statement::Statements, statement::ERRORS;
    }
}
