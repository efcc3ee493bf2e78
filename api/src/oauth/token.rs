//! The rules for an OAuth access token (contract §5.2; RFC 9068), and the refusals of one that breaks them.
//!
//! Pure but for the signature. Times are parsed here; the statement that finds the caller checks them by the database's
//! clock. A refusal says what is wrong and what to do; it never repeats the token.

use super::keys::Keys;
use crate::http::error::{ApiError, Code};
use domain::ids::WorkspaceId;
use jsonwebtoken::dangerous::insecure_decode;
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::Value;

/// A scope of this form lets the connection into one workspace; the first such scope is the connection's default.
const WORKSPACE_SCOPE: &str = "workspace:";
const LONGEST_SUBJECT: usize = 255;
const LONGEST_NAME: usize = 200;
/// The last second of the year 9999: a claim with a later time is refused, since the database has none.
const LAST_SECOND: f64 = 253_402_300_799.0;

/// Whom a token stands for, where they may act, and from when until when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// The issuer's name for the user.
    pub subject: String,
    /// The user's name, as far as the token says it.
    pub name: String,
    /// When it expires, in unix seconds.
    pub expires: i64,
    /// When it begins to be valid, in unix seconds, if it says so.
    pub begins: Option<i64>,
    /// The workspaces that the user let the connection into, the default first; none means all.
    pub workspaces: Option<Vec<WorkspaceId>>,
}

/// Why a token is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// Not a JWT that can be parsed.
    Malformed,
    /// Not signed, or by another algorithm than ES256 or RS256.
    Algorithm,
    /// Another kind of token, such as an ID token.
    Type,
    /// The header requires an extension.
    Critical,
    /// From another issuer.
    Issuer,
    /// Meant for another service.
    Audience,
    /// The issuer publishes no such key.
    UnknownKey,
    /// The signature does not match the key.
    Signature,
    /// This claim is missing or malformed.
    Claim(&'static str),
}

impl Refused {
    /// The refusal as callers see it.
    pub fn error(self, issuer: &str, audience: &[String]) -> ApiError {
        let audience = audience.first().map_or("", String::as_str);
        let (message, action) = match self {
            Self::Malformed => ("The credential is not a JWT that can be read.".to_owned(), Do::Anew),
            Self::Algorithm => ("The token must be signed by ES256 or RS256.".to_owned(), Do::Configure),
            Self::Type => ("The token is no access token: its `typ` must be `at+jwt` (RFC 9068).".to_owned(), Do::Anew),
            Self::Critical => {
                ("The token's header asks for an extension (`crit`) that is not known here.".to_owned(), Do::Configure)
            }
            Self::Issuer => (format!("The token was not issued by {issuer}."), Do::Anew),
            Self::Audience => (format!("The token is not meant for this service, which is {audience}."), Do::Resource),
            Self::UnknownKey => ("The token is signed by a key that its issuer does not publish.".to_owned(), Do::Anew),
            Self::Signature => ("The token's signature is wrong.".to_owned(), Do::Anew),
            Self::Claim(name) => (format!("The token's `{name}` is missing or is not what it must be."), Do::Configure),
        };
        let action = match action {
            Do::Anew => format!("Get an access token from {issuer}, or use an API key."),
            Do::Resource => format!("Ask {issuer} for a token with `resource={audience}` (RFC 8707)."),
            Do::Configure => format!("Have the authorization server {issuer} issue tokens as RFC 9068 says."),
        };
        ApiError::new(Code::Unauthenticated, message).suggest(action)
    }
}

/// What helps after a refusal.
enum Do {
    Anew,
    Resource,
    Configure,
}

/// A token whose header and issuer are right, and whose signature is not verified yet.
#[derive(Debug)]
pub struct Unverified<'a> {
    token: &'a str,
    header: Header,
}

#[derive(Deserialize)]
struct Stated {
    iss: String,
}

#[derive(Deserialize)]
struct Payload {
    iss: String,
    sub: Option<Value>,
    aud: Option<OneOrMany>,
    exp: Option<Value>,
    nbf: Option<Value>,
    scope: Option<Value>,
    name: Option<Value>,
    preferred_username: Option<Value>,
    email: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl<'a> Unverified<'a> {
    /// Checks what needs no key, so that another issuer's token makes nobody look for one.
    pub fn read(token: &'a str, issuer: &str) -> Result<Self, Refused> {
        let header = decode_header(token).map_err(|_| header_fault(token))?;
        if !matches!(header.alg, Algorithm::ES256 | Algorithm::RS256) {
            return Err(Refused::Algorithm);
        }
        let kind = header.typ.as_deref().unwrap_or_default();
        if !["at+jwt", "application/at+jwt"].iter().any(|known| known.eq_ignore_ascii_case(kind)) {
            return Err(Refused::Type);
        }
        if header.crit.is_some() {
            return Err(Refused::Critical);
        }
        let stated = insecure_decode::<Stated>(token).map_err(|_| Refused::Claim("iss"))?;
        if stated.claims.iss != issuer {
            return Err(Refused::Issuer);
        }
        Ok(Self { token, header })
    }

    /// The key that it means, if it is among these.
    pub fn key<'k>(&self, keys: &'k Keys) -> Option<&'k DecodingKey> {
        keys.find(self.header.kid.as_deref(), self.header.alg)
    }

    /// Verifies the signature, then the issuer, the audience and the other claims.
    pub fn verify(&self, key: &DecodingKey, issuer: &str, audience: &[String]) -> Result<Claims, Refused> {
        let mut validation = Validation::new(self.header.alg);
        // `judge` checks the claims, and the database the times: this verifies the signature alone.
        validation.required_spec_claims.clear();
        (validation.validate_exp, validation.validate_nbf, validation.validate_aud) = (false, false, false);
        let verified = decode::<Value>(self.token, key, &validation).map_err(|_| Refused::Signature)?;
        let payload: Payload = serde_json::from_value(verified.claims).map_err(|_| Refused::Claim("iss"))?;
        payload.judge(issuer, audience)
    }
}

/// Why the header can't be read: `none` and other unknown algorithms end here too.
fn header_fault(token: &str) -> Refused {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let header = token.split('.').next().and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
    let header: Option<Value> = header.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if header.is_some_and(|header| header["alg"].is_string()) { Refused::Algorithm } else { Refused::Malformed }
}

impl Payload {
    fn judge(self, issuer: &str, audience: &[String]) -> Result<Claims, Refused> {
        if self.iss != issuer {
            return Err(Refused::Issuer);
        }
        if !self.is_meant_for(audience)? {
            return Err(Refused::Audience);
        }
        let subject = text(self.sub.as_ref()).filter(|sub| sub.len() <= LONGEST_SUBJECT && !sub.contains('\0'));
        let subject = subject.ok_or(Refused::Claim("sub"))?;
        let named =
            [&self.name, &self.preferred_username, &self.email].into_iter().find_map(|claim| text(claim.as_ref()));
        let name = named.unwrap_or_else(|| subject.clone());
        let workspaces = match &self.scope {
            None | Some(Value::Null) => None,
            Some(Value::String(scope)) => workspaces(scope),
            Some(_) => return Err(Refused::Claim("scope")),
        };
        Ok(Claims {
            subject,
            name: name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect(),
            expires: seconds(self.exp.as_ref(), "exp")?.ok_or(Refused::Claim("exp"))?,
            begins: seconds(self.nbf.as_ref(), "nbf")?,
            workspaces,
        })
    }

    /// Whether one of these is whom the token is for.
    fn is_meant_for(&self, audience: &[String]) -> Result<bool, Refused> {
        match &self.aud {
            None => Err(Refused::Claim("aud")),
            Some(OneOrMany::One(one)) => Ok(audience.contains(one)),
            Some(OneOrMany::Many(many)) => Ok(many.iter().any(|one| audience.contains(one))),
        }
    }
}

fn text(claim: Option<&Value>) -> Option<String> {
    claim.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A `NumericDate` (RFC 7519): seconds, whose fraction is cut off.
fn seconds(claim: Option<&Value>, name: &'static str) -> Result<Option<i64>, Refused> {
    let Some(value) = claim.filter(|value| !value.is_null()) else { return Ok(None) };
    let number = value.as_f64().filter(|number| (0.0..=LAST_SECOND).contains(number));
    #[expect(clippy::cast_possible_truncation, reason = "within the bounds above")]
    number.map(|number| Some(number as i64)).ok_or(Refused::Claim(name))
}

/// The workspaces that a scope names. One that can't be parsed names nothing, and does not widen the scope.
fn workspaces(scope: &str) -> Option<Vec<WorkspaceId>> {
    let named: Vec<&str> = scope.split(' ').filter_map(|word| word.strip_prefix(WORKSPACE_SCOPE)).collect();
    (!named.is_empty()).then(|| named.iter().filter_map(|id| id.parse().ok()).collect())
}
