//! The numbers from which on something is wrong, in one table: the verdict, `mws doctor` and the schedulers' log go by
//! them, and so do the alerts of `deploy/prometheus/rules.yml` that watch the same. `tests::thresholds` holds these
//! alerts, and the pages that tell of a number, against this table.

/// Seconds after which a silent process counts as dead: it reports every ten.
pub const SILENT_SECONDS: f64 = 30.0;

/// Due jobs that wait for longer, in seconds, mean a stall or too few workers. The alert `MwsQueueStalled` has it too.
pub const JOB_WAITS_SECONDS: f64 = 120.0;

/// The fewest ended jobs that make a share meaningful. The alert `MwsJobsFailing` has it too.
pub const ENOUGH_JOBS: i64 = 20;
/// Fewer failed jobs than this may be coincidence.
pub const FEW_FAILURES: i64 = 3;
/// The largest acceptable share of jobs that failed by our fault, or by a provider's, in percent. The alert
/// `MwsJobsFailing` has it too.
pub const MOST_FAILED_PERCENT: f64 = 10.0;
/// If a larger share than this fails for what was sent in, in percent, a decoder may be broken.
pub const MOST_UNREADABLE_PERCENT: f64 = 50.0;

/// For how many hours a kind of failure that no job of a day had before is called new, also on the console's page of
/// errors.
pub const NEW_KIND_HOURS: i32 = 1;
/// The fewest jobs that make a new kind of failure worth telling.
pub const NEW_KIND_JOBS: i64 = 3;
/// The fewest accounts that pay for them: of one alone it is more likely in what that one sends.
pub const NEW_KIND_PAYERS: i64 = 2;

/// The service is degraded if a delivery has been due for longer than this, in seconds.
pub const DELIVERY_WAITS_SECONDS: f64 = 60.0;
/// The service is failing if a delivery has been due for longer than this, in seconds.
pub const DELIVERY_STALLED_SECONDS: f64 = 300.0;
/// The largest share of deliveries, in percent, whose last attempt may have failed. The alert `MwsDeliveriesFailing`
/// has it too, of attempts: these are more, so that it wants a hundred of them.
pub const MOST_TROUBLED_PERCENT: f64 = 20.0;
/// The fewest attempted deliveries that make a share meaningful.
pub const ENOUGH_DELIVERIES: i64 = 20;
/// The fewest endpoints whose failure at once is no coincidence: the fault is then probably here.
pub const MANY_ENDPOINTS: i64 = 5;

/// Seconds after which the last check of the books is too old to rely on: fifteen of its intervals. The alert
/// `MwsLedgerUnchecked` has it too.
pub const LEDGER_UNCHECKED_SECONDS: f64 = 900.0;

/// Milliseconds by which clocks may differ before times in logs are hard to trust. The alert `MwsClockSkew` has it too.
pub const MOST_SKEW_MS: i64 = 1_000;
/// Milliseconds by which clocks may differ before others refuse what goes by a host's, or soon will: a bucket does with
/// requests that are a quarter of an hour off.
pub const FATAL_SKEW_MS: i64 = 240_000;
/// The free part of the disk for media below which somebody should look, in percent. The alert `MwsDiskFilling` has it
/// too.
pub const LITTLE_FREE_PERCENT: u32 = 10;
/// The free part below which uploads are about to be refused, in percent.
pub const NEARLY_NONE_FREE_PERCENT: u32 = 1;
/// The intervals without a run after which a duty is late, but never before [`SILENT_SECONDS`]: while the service is
/// quiet, some rest for three.
pub const DUTY_LATE_TURNS: f64 = 5.0;
/// The intervals without a run, and [`DUTY_FAILING_SECONDS`] more, after which a duty is failing. The alert
/// `MwsSchedulerLate` has both too.
pub const DUTY_FAILING_TURNS: f64 = 3.0;
/// See [`DUTY_FAILING_TURNS`].
pub const DUTY_FAILING_SECONDS: f64 = 600.0;

/// The seconds by which a replica may be behind. One that takes over then makes up for it within a minute.
pub const MOST_LAG_SECONDS: f64 = 60.0;
/// The bytes of log by which it may be behind, since what it says of the time may be old.
pub const MOST_LAG_BYTES: i64 = 256 << 20;

/// Seconds for which the end of a process is told. Later, only the fleet's page shows it.
pub const END_TOLD_SECONDS: f64 = 3_600.0;
/// The ends of one service within [`END_TOLD_SECONDS`] from which on they are no accident any more.
pub const REPEATED_ENDS: usize = 3;
/// Seconds since the last of them for which they count as going on.
pub const ENDS_GO_ON_SECONDS: f64 = 600.0;
