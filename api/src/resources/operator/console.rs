//! Links to the console: `/operator/console-links`. `resources::console` has the pages.

use super::OperatorAuth;
use crate::app::App;
use crate::app::doors::CONSOLE_PATH;
use crate::contract::envelope::Created;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::Answer;
use crate::http::text::{Text, Time};
use crate::usecases::operator::console::make_console_link;
use poem_openapi::{Object, OpenApi};

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals = &[("POST /operator/console-links", &[])];

/// The operation on links to the console.
pub struct OperatorConsole(pub App);

/// A link to the console.
#[derive(Debug, Object)]
pub struct ConsoleLink {
    /// The path of the link: append it to the address at which you reach the service. It can be used once.
    pub path: Text,
    /// The link at the service's public URL.
    pub url: Text,
    /// When it expires.
    pub expires_at: Time,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorConsole {
    /// Make a link to the console
    ///
    /// A browser that follows it is signed in as the operator whose token this is, for twelve hours or until the token
    /// changes. The link can be used once, within ten minutes.
    #[oai(path = "/operator/console-links", method = "post", operation_id = "operator_create_console_link")]
    async fn create(&self, auth: OperatorAuth) -> Answer<Created<ConsoleLink>> {
        let OperatorAuth(operator) = auth;
        let (code, expires_at) = make_console_link(&self.0, &operator).await?;
        let path = format!("{CONSOLE_PATH}/in/{}", code.expose());
        let url = Text(format!("{}{path}", self.0.public_url));
        Ok(Created(ConsoleLink { path: Text(path), url, expires_at: Time(expires_at) }))
    }
}
