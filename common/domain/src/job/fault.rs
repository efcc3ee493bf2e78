//! Whose fault it is that a job failed, by its error code (contract §3.2): operators are alarmed by their own alone.

use super::JobKind;

/// Who can do something about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Whoever made the media: it can't be read, or is too long.
    Media,
    /// The caller, who asked for what can't be made.
    Caller,
    /// A provider of models.
    Provider,
    /// Whoever runs the service.
    Ours,
}

/// Every code that a job can end with.
pub const FAULTS: [(&str, Fault); 16] = [
    ("media_unreadable", Fault::Media),
    ("media_too_long", Fault::Media),
    ("file_too_large", Fault::Caller),
    ("not_supported", Fault::Caller),
    ("provider_refused", Fault::Caller),
    ("provider_unavailable", Fault::Provider),
    ("provider_failed", Fault::Provider),
    ("provider_timeout", Fault::Provider),
    ("provider_bad_output", Fault::Provider),
    ("outcome_unknown", Fault::Provider),
    // An item that is deleted cancels its jobs: these bytes were lost in our store.
    ("media_missing", Fault::Ours),
    // A job is accepted only where a worker has offered the engine.
    ("engine_not_configured", Fault::Ours),
    ("reader_timeout", Fault::Ours),
    ("reader_crashed", Fault::Ours),
    ("worker_lost", Fault::Ours),
    ("internal", Fault::Ours),
];

impl Fault {
    /// Returns whose fault a job's error code tells of. A code that is not known is ours.
    pub fn of(code: &str) -> Self {
        FAULTS.iter().find(|(known, _)| *known == code).map_or(Self::Ours, |(_, fault)| *fault)
    }

    /// Whether a job that failed with this code counts against its account, since another request or other media may
    /// have ended well. What the service lacked, or a provider that took no request, is nothing that it brought about.
    pub fn counts(code: &str) -> bool {
        Self::of(code) != Self::Ours && code != "provider_unavailable"
    }

    /// Whether a provider may well be paid for a job of this kind that failed so after it was asked. It makes nothing
    /// of what it refuses, and of what it does not answer an account has a few at a time. A dub is several requests,
    /// of which all but the last may have been answered.
    pub fn may_be_billed(kind: JobKind, code: &str) -> bool {
        let is_unmade = ["provider_refused", "provider_timeout", "outcome_unknown"].contains(&code);
        Self::counts(code) && (kind == JobKind::Dub || !is_unmade)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_one_partys_fault_and_an_unknown_one_ours() {
        for (place, (code, fault)) in FAULTS.iter().enumerate() {
            assert_eq!(Fault::of(code), *fault);
            assert!(FAULTS[..place].iter().all(|(other, _)| other != code), "{code}");
        }
        assert_eq!(Fault::of("something_new"), Fault::Ours);
    }

    #[test]
    fn what_the_service_lacked_or_a_provider_did_not_take_counts_against_nobody() {
        let none = FAULTS.iter().map(|(code, _)| *code).filter(|code| !Fault::counts(code));
        let expected = [
            "provider_unavailable",
            "media_missing",
            "engine_not_configured",
            "reader_timeout",
            "reader_crashed",
            "worker_lost",
            "internal",
        ];
        assert_eq!(none.collect::<Vec<_>>(), expected);
        assert!(!Fault::counts("something_new"));
    }

    #[test]
    fn what_a_provider_made_in_vain_may_be_billed_and_each_request_of_a_dub() {
        let billed = |kind| FAULTS.iter().map(|(code, _)| *code).filter(move |code| Fault::may_be_billed(kind, code));
        let expected = [
            "media_unreadable",
            "media_too_long",
            "file_too_large",
            "not_supported",
            "provider_failed",
            "provider_bad_output",
        ];
        assert_eq!(billed(JobKind::Generation).collect::<Vec<_>>(), expected);
        let of_dubs: Vec<&str> = billed(JobKind::Dub).collect();
        assert!(of_dubs.iter().all(|code| Fault::counts(code)), "{of_dubs:?}");
        assert_eq!(of_dubs.len(), expected.len() + 3, "what it refused, or did not answer, came after others");
    }
}
