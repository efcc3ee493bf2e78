//! Collects the faults that the demo finds.

use crate::failure::Failure;

/// The faults, in words.
#[derive(Debug, Default)]
pub struct Checks(Vec<String>);

impl Checks {
    /// Notes that something which should have worked did not.
    pub fn fault(&mut self, what: String) {
        self.0.push(what);
    }

    /// Whether everything worked.
    pub fn all_well(&self) -> bool {
        self.0.is_empty()
    }

    /// Fails if there were faults.
    pub fn verdict(self) -> Result<(), Failure> {
        if self.all_well() {
            return Ok(());
        }
        Err(Failure::Work(format!("this should have worked:\n  {}", self.0.join("\n  "))))
    }
}
