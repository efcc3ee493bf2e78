//! What the tables are like while something is measured: a row's name begins with it.

/// What the tables are like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Condition {
    /// As a deployment begins.
    #[default]
    Empty,
    /// With so many jobs queued, jobs finished and deliveries logged.
    Full,
    /// The same, with a transaction open for minutes.
    Held,
    /// The same, while what is finished and logged is pruned.
    Pruned,
}

impl Condition {
    /// What its rows' names begin with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Empty => "",
            Self::Full => "full tables: ",
            Self::Held => "full tables, a transaction held open: ",
            Self::Pruned => "full tables, being pruned: ",
        }
    }

    /// The setting that says whether the rows of full tables are old enough to be pruned.
    pub const fn retention(self) -> &'static str {
        match self {
            Self::Empty | Self::Pruned => "--retention-days=30",
            Self::Full | Self::Held => "--retention-days=10000",
        }
    }
}
