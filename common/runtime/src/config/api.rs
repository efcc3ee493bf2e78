//! The settings of the api alone: where it listens, the limits of one address and one account, and OAuth.

use clap::Args;
use ipnet::IpNet;
use std::net::SocketAddr;

/// Settings of the api alone.
#[derive(Debug, Clone, Args)]
pub struct ApiSettings {
    /// Address and port to listen on.
    #[arg(long, env = "MWS_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// The URL clients reach the service by, without a path. Unset: from the address listened on.
    #[arg(long, env = "MWS_PUBLIC_URL")]
    pub public_url: Option<String>,

    /// Proxies (CIDR, comma-separated) whose X-Forwarded-For counts. A proxy that is not named here is one address to
    /// the service, with all who come through it: they share one address's connections, wrong credentials and redeemed
    /// codes.
    #[arg(long, env = "MWS_TRUSTED_PROXIES", value_delimiter = ',')]
    pub trusted_proxies: Vec<IpNet>,

    /// Address and port of operators' routes and `/metrics`, which the customers' port then answers 404 for. Unset: one
    /// port.
    #[arg(long, env = "MWS_OPERATOR_LISTEN")]
    pub operator_listen: Option<SocketAddr>,

    /// Networks (CIDR, comma-separated) that operators' routes and `/metrics` are answered to, whichever port they are
    /// on. Unset: any.
    #[arg(long, env = "MWS_OPERATOR_ALLOW", value_delimiter = ',')]
    pub operator_allow: Vec<IpNet>,

    /// Origins (`https://app.example.com`, comma-separated) whose pages may show the portal in a frame. Unset: none.
    #[arg(long, env = "MWS_PORTAL_FRAME_ANCESTORS", value_delimiter = ',', value_parser = origin)]
    pub portal_frame_ancestors: Vec<String>,

    /// Connections open at a time; one too many is answered 503. Fewer where the limit of open files (`RLIMIT_NOFILE`,
    /// raised to the hard one at the start) leaves no room for as many: the log says how many there are.
    #[arg(long, env = "MWS_MAX_CONNECTIONS", default_value_t = 4096)]
    pub max_connections: usize,

    /// Connections that one address may have open, and requests that it may have under way through a trusted proxy; an
    /// IPv6 network of 64 bits counts as one address.
    #[arg(long, env = "MWS_MAX_ADDRESS_CONNECTIONS", default_value_t = 256)]
    pub max_address_connections: usize,

    /// Requests that one account may have under way.
    #[arg(long, env = "MWS_MAX_ACCOUNT_REQUESTS", default_value_t = 64)]
    pub max_account_requests: usize,

    /// Uploads that one account may be sending the bytes of.
    #[arg(long, env = "MWS_MAX_ACCOUNT_UPLOADS", default_value_t = 8)]
    pub max_account_uploads: usize,

    /// Downloads that one account's links may have under way, half of them those of its public links' visitors: each
    /// holds 256 KiB while it is taken, and a process sends at most 512.
    #[arg(long, env = "MWS_MAX_ACCOUNT_DOWNLOADS", default_value_t = 16)]
    pub max_account_downloads: usize,

    /// Seconds after which a link to an item's media has ended for certain; it lasts for half of them at least.
    #[arg(long, env = "MWS_MEDIA_LINK_SECONDS", default_value_t = 7_200, value_parser = clap::value_parser!(u32).range(60..=604_800))]
    pub media_link_seconds: u32,

    /// Let clients put the bytes of uploads into the bucket themselves, by presigned links that last an hour, so that
    /// they pass no api. For customers that you trust: who has a link may put as many bytes as were announced for as
    /// long as it lasts, also once the item is deleted and no longer counts against the account's storage. What is left
    /// over is swept after two days.
    #[arg(long, env = "MWS_DIRECT_UPLOADS", default_value_t = false)]
    pub direct_uploads: bool,

    /// Wrong credentials that one address may send in a minute; past them it is answered 429, late.
    #[arg(long, env = "MWS_WRONG_CREDENTIALS_PER_MINUTE", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub wrong_credentials_per_minute: u32,

    /// Names (comma-separated, `host` or `host:port`) by which `/mcp` is called, beside the public URL's and loopback.
    #[arg(long, env = "MWS_MCP_HOSTS", value_delimiter = ',')]
    pub mcp_hosts: Vec<String>,

    /// Whose OAuth tokens are taken.
    #[command(flatten)]
    pub oauth: OAuthSettings,
}

/// Returns an origin as browsers write it: a scheme and a host, with a port unless it is the scheme's own.
fn origin(text: &str) -> Result<String, String> {
    let url = url::Url::parse(text.trim()).map_err(|error| error.to_string())?;
    let origin = url.origin().ascii_serialization();
    let is_origin = matches!(url.scheme(), "http" | "https") && format!("{origin}/") == url.as_str();
    if is_origin {
        Ok(origin)
    } else {
        Err(format!("expected an origin such as https://app.example.com, found `{text}`"))
    }
}

/// Whose OAuth 2.0 access tokens are taken (contract §5.2). Issuer and audience belong together.
#[derive(Debug, Clone, Default, Args)]
pub struct OAuthSettings {
    /// The authorization server, exactly as its metadata and its tokens name it. Unset: OAuth tokens are refused.
    #[arg(id = "oauth_issuer", long = "oauth-issuer", env = "MWS_OAUTH_ISSUER")]
    pub issuer: Option<String>,

    /// Audiences of tokens that are accepted (comma-separated): the `resource` that clients ask the issuer for.
    #[arg(id = "oauth_audience", long = "oauth-audience", env = "MWS_OAUTH_AUDIENCE", value_delimiter = ',')]
    pub audience: Vec<String>,

    /// Whether somebody who signs in, and whom the operator has not added, is refused or gets an account.
    #[arg(id = "oauth_signup", long = "oauth-signup", env = "MWS_OAUTH_SIGNUP", default_value = "refuse")]
    pub signup: Signup,

    /// How many people may be new within a day, those that operators add counted in: each who signs up has minutes of
    /// their own. Who comes then is told to come back later (429).
    #[arg(
        id = "oauth_signups_a_day",
        long = "oauth-signups-a-day",
        env = "MWS_OAUTH_SIGNUPS_A_DAY",
        default_value_t = 1_000
    )]
    pub signups_a_day: u32,

    /// How many people may sign up from one network (an IPv4 address, the /48 of an IPv6 address) within a day; a tenth
    /// of all when not set. More where clients such as a connector's servers bring many people from few addresses.
    #[arg(id = "oauth_signups_a_network", long = "oauth-signups-a-network", env = "MWS_OAUTH_SIGNUPS_A_NETWORK")]
    pub signups_a_network: Option<u32>,
}

/// What happens when somebody unknown signs in by OAuth. Users whom the operator has added may always sign in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Signup {
    /// They are told to ask the operator.
    #[default]
    Refuse,
    /// They get an account of their own, with a workspace.
    Create,
}
