//! The state of the tables during a measurement, which is the prefix of the row's name.

/// The state of the tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Condition {
    /// Like those of a new deployment.
    #[default]
    Empty,
    /// With as many jobs queued, jobs finished and deliveries logged as `--rows` says.
    Full,
    /// Full, with a transaction open for minutes.
    Held,
    /// Full, while finished jobs and logged deliveries are pruned.
    Pruned,
}

impl Condition {
    /// Returns the prefix of rows' names.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Empty => "",
            Self::Full => "full tables: ",
            Self::Held => "full tables, a transaction held open: ",
            Self::Pruned => "full tables, being pruned: ",
        }
    }

    /// Returns the setting that decides whether the rows of full tables are old enough to be pruned.
    pub const fn retention(self) -> &'static str {
        match self {
            Self::Empty | Self::Pruned => "--retention-days=30",
            Self::Full | Self::Held => "--retention-days=10000",
        }
    }
}
