//! The fields by which operators select deliveries that did not arrive: a resend and a bulk operation have the same.

use domain::series::DeliveryStatus;
use poem_openapi::Enum;

/// The final status of a delivery that did not arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum Unarrived {
    /// All attempts failed.
    Failed,
    /// Not sent, because the endpoint was disabled.
    Skipped,
}

impl Unarrived {
    /// The final status of this name; none for a delivery that arrived or has no final status.
    pub fn of(status: DeliveryStatus) -> Option<Self> {
        match status {
            DeliveryStatus::Failed => Some(Self::Failed),
            DeliveryStatus::Skipped => Some(Self::Skipped),
            DeliveryStatus::Pending | DeliveryStatus::Succeeded | DeliveryStatus::Cancelled => None,
        }
    }
}

impl From<Unarrived> for DeliveryStatus {
    fn from(ended: Unarrived) -> Self {
        match ended {
            Unarrived::Failed => Self::Failed,
            Unarrived::Skipped => Self::Skipped,
        }
    }
}

/// Declares a request with these fields and those that select deliveries. A struct can't be shared in its place:
/// poem-openapi flattens none into an object that refuses unknown fields.
macro_rules! selecting_unsent {
    ($(#[$about:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Object)]
        #[oai(deny_unknown_fields)]
        pub struct $name {
            $($(#[$attribute])* pub $field: $type,)*
            /// Only deliveries created at or after this time.
            pub since: Time,
            /// Only deliveries created before this time; until now, if absent.
            pub until: Option<Time>,
            /// Only deliveries to endpoints of this account.
            pub account_id: Option<Text>,
            /// Only deliveries to this endpoint.
            pub endpoint_id: Option<Text>,
            /// Only deliveries with this status.
            pub status: Option<Unarrived>,
            /// Only events of this type.
            pub event_type: Option<Kind>,
            /// Only deliveries whose last answer had this HTTP status.
            #[oai(validator(minimum(value = "100"), maximum(value = "599")))]
            pub http_status: Option<i16>,
            /// Only deliveries whose last attempt had this error, such as `tls_failed`.
            pub error: Option<Text>,
        }

        impl $name {
            /// Returns what the request selects.
            fn selection(&self) -> Answer<UnsentSelection> {
                Ok(UnsentSelection {
                    account: self.account_id.as_ref().map(|id| id.id(Code::AccountNotFound)).transpose()?,
                    endpoint: self.endpoint_id.as_ref().map(|id| id.id(Code::WebhookNotFound)).transpose()?,
                    filter: UnsentFilter {
                        since: self.since.0,
                        until: self.until.map(|time| time.0),
                        status: self.status.map(Into::into),
                        event_type: self.event_type.map(Into::into),
                        http_status: self.http_status,
                        error: self.error.as_ref().map(|text| text.0.clone()),
                    },
                })
            }
        }
    };
}

pub(super) use selecting_unsent;
