//! The paths of the pages. A name in braces stands for an id (`Subjects`) or for the code of a one-time link.
//!
//! A page that a router has and that is missing here fails `tests/all/measured`.

/// The operators' pages.
pub const CONSOLE: [&str; 36] = [
    "/console/in/{code}",
    "/console",
    "/console/find?id=nothing",
    "/console/find?id={trace}",
    "/console/jobs",
    "/console/jobs/{job}",
    "/console/jobs/{waiting}",
    "/console/jobs/{failed}",
    "/console/jobs/{failed}/retry",
    "/console/jobs/{job}/change",
    "/console/jobs/{waiting}/cancel",
    "/console/rerun",
    "/console/errors",
    "/console/deliveries",
    "/console/deliveries/{delivery}",
    "/console/deliveries/{unsent}",
    "/console/deliveries/{unsent}/resend",
    "/console/unsent",
    "/console/bulk",
    "/console/bulk/{bulk}",
    "/console/endpoints",
    "/console/endpoints/{endpoint}",
    "/console/endpoints/{endpoint}/change",
    "/console/endpoints/{endpoint}/ping",
    "/console/fleet",
    "/console/reads/{read}",
    "/console/audit",
    "/console/accounts",
    "/console/accounts/{account}",
    "/console/accounts/{account}/portal",
    "/console/accounts/{account}/minutes",
    "/console/accounts/{other}",
    "/console/accounts/{other}/minutes",
    "/console/items",
    "/console/items/{item}",
    "/console/items/{spoken}",
];

/// The customers' pages.
pub const PORTAL: [&str; 9] = [
    "/portal/in/{code}",
    "/portal/webhooks",
    "/portal/webhooks/{endpoint}",
    "/portal/webhooks/{endpoint}/{delivery}",
    "/portal/jobs",
    "/portal/jobs/{job}",
    "/portal/usage",
    "/portal/usage/statement",
    "/portal/keys",
];
