//! `get_api_session`: a single-use code that a script exchanges for a token (contract §5.3).

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::{NoArguments, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, Code};
use crate::http::text::Text;
use domain::credential::SessionCode;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use store::sessions::{self, NewCode};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[("POST /tools/get_api_session", &[Code::SessionNotAllowed])];

/// Seconds that a code can be redeemed (contract §8).
const CODE_SECONDS: u32 = 600;

/// The session tool.
pub struct SessionTools(pub App);

/// A session code.
#[derive(Debug, Object)]
pub struct SessionCodeAnswer {
    /// Starts with `esx_`; `POST /sessions/redeem` takes it once.
    pub code: Text,
    /// Seconds for which it can be redeemed.
    pub expires_in: u32,
}

#[OpenApi(tag = "Tag::Account")]
impl SessionTools {
    /// Get a script session code
    ///
    /// Returns a single-use code, valid 10 minutes, that `POST /sessions/redeem` exchanges for a bearer token valid 30
    /// minutes in this credential's workspace (contract §5.3). Refused for a script session token.
    #[oai(path = "/tools/get_api_session", method = "post", operation_id = "get_api_session")]
    async fn get_api_session(
        &self,
        auth: Auth,
        _arguments: Json<Option<NoArguments>>,
    ) -> Answer<Json<ToolAnswer<SessionCodeAnswer>>> {
        let Auth(caller) = auth;
        let code = SessionCode::from_random(rand::random());
        let mut conn = self.0.conn().await?;
        let new = NewCode {
            code_hash: code.hash(),
            account_id: caller.account_id,
            workspace_id: caller.workspace.id,
            user_id: caller.user_id,
            key_id: caller.key_id,
            seconds: CODE_SECONDS,
        };
        sessions::insert_code(&mut conn, &new).await?;
        let data = SessionCodeAnswer { code: code.expose().into(), expires_in: CODE_SECONDS };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }
}
