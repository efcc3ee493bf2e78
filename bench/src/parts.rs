//! The parts of a run, and when each is measured: in the daily run, on full tables, during pruning.
//!
//! Each part's module says what it measures. A part that ends with an error adds a row that misses its bar, and the
//! others go on, since a whole run takes long.

use crate::table::{Bar, Table};
use crate::{Bench, admission, beside, deliveries, dispatch, flood, idle, jobs, latency, lists, neighbour, pages};
use clap::ValueEnum;

/// A part of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// The whole life of jobs that do nothing.
    Jobs,
    /// Calls of `prepare_media`.
    Dispatch,
    /// Deliveries of a backlog.
    Deliveries,
    /// The time from a job's end to its webhook.
    Latency,
    /// The time until another account's first claim.
    Admission,
    /// Healthy endpoints beside troubled ones.
    Beside,
    /// Lists of every route and tool, by every filter.
    Lists,
    /// Pages of the console and of the portal, by every filter.
    Pages,
    /// Resources used while nothing happens.
    Idle,
    /// A read beside another account's flood.
    Flood,
    /// A customer beside a neighbour.
    Neighbour,
}

impl What {
    /// Returns its name, as `--only` takes it.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Whether it is a part of the daily run.
    pub const fn is_quick(self) -> bool {
        matches!(self, Self::Jobs | Self::Dispatch | Self::Deliveries | Self::Latency | Self::Admission | Self::Idle)
    }

    /// Whether it is measured on full tables too.
    pub const fn grows(self) -> bool {
        !matches!(self, Self::Flood | Self::Neighbour)
    }

    /// Whether it is measured during an open transaction and during pruning too.
    pub const fn under_load(self) -> bool {
        self.grows() && !matches!(self, Self::Idle)
    }

    /// Measures it. An error is printed and counted as a missed bar, so that the other parts go on.
    pub async fn measure(self, bench: &Bench, table: &mut Table) {
        if let Err(error) = self.tried(bench, table).await {
            eprintln!("  {} ended with an error: {error:#}", self.name());
            table.add_as_is(format!("{}: errors", self.name()), 1.0, "", None, Bar::AtMost(0.0));
        }
    }

    async fn tried(self, bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
        match self {
            Self::Jobs => jobs::measure(bench, table).await,
            Self::Dispatch => dispatch::measure(bench, table).await,
            Self::Deliveries => deliveries::measure(bench, table).await,
            Self::Latency => latency::measure(bench, table).await,
            Self::Admission => admission::measure(bench, table).await,
            Self::Beside => beside::measure(bench, table).await,
            Self::Lists => lists::measure(bench, table).await,
            Self::Pages => pages::measure(bench, table).await,
            Self::Idle => idle::measure(bench, table).await,
            Self::Flood => flood::measure(bench, table).await,
            Self::Neighbour => neighbour::measure(bench, table).await,
        }
    }
}
