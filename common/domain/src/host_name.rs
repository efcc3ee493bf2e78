//! Classifies host names by their text alone: which can be public (RFC 6761 and later entries of its registry).
//!
//! It has the list of special-use names and the rule of what a label is. It never resolves a name: one that it calls
//! public may still have a private address, which `url_policy` judges when the name is resolved.

/// The class of a host name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostName {
    /// A name of the public DNS, whether it exists or not.
    Public,
    /// A name for a closed network at most: it has one label, or a domain that is reserved for local use.
    Local,
    /// A name that never belongs to a host.
    Never,
    /// Not a name: a label is empty, too long, or has characters that labels may not have.
    Malformed,
}

/// The most bytes of a name, without a dot at its end.
const LONGEST_NAME: usize = 253;
/// The most bytes of a label.
const LONGEST_LABEL: usize = 63;

/// Domains for use in one network or on one machine: RFC 6761 (`test`, `example`, `localhost`), RFC 6762 (`local`),
/// RFC 8375 (`home.arpa`) and ICANN's `internal`.
const LOCAL: [&[&str]; 6] = [&["test"], &["example"], &["localhost"], &["local"], &["home", "arpa"], &["internal"]];

/// Domains without hosts: RFC 6761 (`invalid`), RFC 7686 (`onion`), RFC 9476 (`alt`), and `arpa`, which names
/// addresses, numbers and services (`home.arpa` is local).
const NEVER: [&[&str]; 4] = [&["invalid"], &["onion"], &["alt"], &["arpa"]];

impl HostName {
    /// Returns the class of this name, which must be lower-case ASCII, as URL parsers return it.
    ///
    /// Underscores are accepted, since public hosts have them; a hyphen at an end of a label is not, since no host may.
    pub fn of(name: &str) -> Self {
        let name = name.strip_suffix('.').unwrap_or(name);
        let labels: Vec<&str> = name.split('.').collect();
        if name.len() > LONGEST_NAME || !labels.iter().all(|label| is_label(label)) {
            return Self::Malformed;
        }
        let is_in = |domains: &[&[&str]]| domains.iter().any(|domain| labels.ends_with(domain));
        if labels.len() == 1 || is_in(&LOCAL) {
            // A single label is a host of the local network, unless it is a domain without hosts.
            if is_in(&NEVER) && !is_in(&LOCAL) { Self::Never } else { Self::Local }
        } else if is_in(&NEVER) {
            Self::Never
        } else {
            Self::Public
        }
    }
}

fn is_label(label: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
    !label.is_empty()
        && label.len() <= LONGEST_LABEL
        && label.bytes().all(inside)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_can_never_be_public_are_known_by_their_text() {
        for (name, kind) in [
            ("example.com", HostName::Public),
            ("example.com.", HostName::Public),
            ("hooks.example.com", HostName::Public),
            ("localhost.example.com", HostName::Public),
            ("my_app.example.com", HostName::Public),
            ("xn--bcher-kva.example.com", HostName::Public),
            ("a.b-c.d1", HostName::Public),
            ("notlocal.net", HostName::Public),
            ("home.example.com", HostName::Public),
            ("receiver", HostName::Local),
            ("receiver.", HostName::Local),
            ("localhost", HostName::Local),
            ("a.localhost", HostName::Local),
            ("printer.local", HostName::Local),
            ("hook.test", HostName::Local),
            ("hook.example", HostName::Local),
            ("metadata.google.internal", HostName::Local),
            ("router.home.arpa", HostName::Local),
            ("home.arpa", HostName::Local),
            ("a.invalid", HostName::Never),
            ("abc.onion", HostName::Never),
            ("x.alt", HostName::Never),
            ("onion", HostName::Never),
            ("1.0.0.10.in-addr.arpa", HostName::Never),
            ("ipv4only.arpa", HostName::Never),
            ("", HostName::Malformed),
            ("a..example.com", HostName::Malformed),
            (".example.com", HostName::Malformed),
            ("a.example.com..", HostName::Malformed),
            ("-a.example.com", HostName::Malformed),
            ("a-.example.com", HostName::Malformed),
            ("a.exa+mple.com", HostName::Malformed),
            ("a*.example.com", HostName::Malformed),
        ] {
            assert_eq!(HostName::of(name), kind, "{name}");
        }
    }

    #[test]
    fn a_label_and_a_name_have_a_longest_form() {
        let label = "a".repeat(LONGEST_LABEL);
        assert_eq!(HostName::of(&format!("{label}.com")), HostName::Public);
        assert_eq!(HostName::of(&format!("{label}a.com")), HostName::Malformed);
        let name = format!("{label}.{label}.{label}.{}", "a".repeat(LONGEST_NAME - 3 * (LONGEST_LABEL + 1)));
        assert_eq!(HostName::of(&name), HostName::Public);
        assert_eq!(HostName::of(&format!("{name}.")), HostName::Public);
        assert_eq!(HostName::of(&format!("{name}a")), HostName::Malformed);
    }
}
