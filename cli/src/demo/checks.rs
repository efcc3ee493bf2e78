//! What should have worked and did not.

use crate::failure::Failure;

/// Faults found on the way, in words.
#[derive(Debug, Default)]
pub struct Checks(Vec<String>);

impl Checks {
    /// Something that should have worked did not.
    pub fn fault(&mut self, what: String) {
        self.0.push(what);
    }

    /// Whether everything worked.
    pub fn all_well(&self) -> bool {
        self.0.is_empty()
    }

    /// The demo's own end.
    pub fn verdict(self) -> Result<(), Failure> {
        if self.all_well() {
            return Ok(());
        }
        Err(Failure::Work(format!("this should have worked:\n  {}", self.0.join("\n  "))))
    }
}
