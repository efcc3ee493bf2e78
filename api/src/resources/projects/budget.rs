//! The budget of a project's agent: what it may use, what it has used, and what is left.

use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::MinuteCount;
use domain::agent::{Budget, MOST_AMOUNT, MOST_STEPS};
use domain::credits::Credits;
use domain::minutes::Minutes;
use poem_openapi::Object;

/// What the agent may use in all of its work on the project. An absent field has no limit of its own.
#[derive(Debug, Clone, Copy, Object)]
#[oai(deny_unknown_fields)]
pub struct ProjectBudget {
    /// Cloud minutes for reads and renders, with at most two decimals.
    #[oai(validator(minimum(value = "0"), maximum(value = "1000000")))]
    pub minutes: Option<f64>,
    /// AI credits for providers' models, with at most two decimals. The built-in planner uses none.
    #[oai(validator(minimum(value = "0"), maximum(value = "1000000")))]
    pub credits: Option<f64>,
    /// Calls of tools, and requests to a model, 1 to 1000; 200 when not given.
    #[oai(validator(minimum(value = "1"), maximum(value = "1000")))]
    pub steps: Option<u32>,
}

/// What the agent has used.
#[derive(Debug, Clone, Copy, Object)]
pub struct ProjectSpent {
    /// Cloud minutes.
    pub minutes: MinuteCount,
    /// AI credits.
    pub credits: f64,
    /// Calls of tools, and requests to a model.
    pub steps: i32,
}

/// What is left of a budget; null where there is no limit.
#[derive(Debug, Clone, Copy, Object)]
pub struct BudgetLeft {
    /// Cloud minutes.
    pub minutes: Option<MinuteCount>,
    /// AI credits.
    pub credits: Option<f64>,
    /// Calls of tools, and requests to a model.
    pub steps: u32,
}

impl ProjectBudget {
    /// Returns the budget as it is stored.
    ///
    /// # Errors
    /// `invalid_request` by field.
    pub fn checked(self) -> Answer<Budget> {
        let amount = |field: &str, amount: Option<f64>| match amount {
            None => Ok(None),
            Some(amount) if (0.0..=MOST_AMOUNT).contains(&amount) => {
                #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
                let hundredths = (amount * 100.0).round() as i64;
                Ok(Some(hundredths))
            }
            Some(_) => {
                let message = format!("`budget.{field}`: expected a number from 0 to {MOST_AMOUNT}.");
                Err(ApiError::new(Code::InvalidRequest, message))
            }
        };
        if self.steps.is_some_and(|steps| !(1..=MOST_STEPS).contains(&steps)) {
            let message = format!("`budget.steps`: expected a whole number from 1 to {MOST_STEPS}.");
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        let (minutes, credits) = (amount("minutes", self.minutes)?, amount("credits", self.credits)?);
        Ok(Budget { minutes, credits, steps: self.steps })
    }
}

impl From<Budget> for ProjectBudget {
    fn from(budget: Budget) -> Self {
        Self { minutes: budget.minutes.map(amount), credits: budget.credits.map(amount), steps: budget.steps }
    }
}

impl ProjectSpent {
    /// Returns these minutes, credits and steps as the interface shows them.
    pub fn of(minutes: Minutes, credits: Credits, steps: i32) -> Self {
        Self { minutes: minutes.into(), credits: amount(credits.hundredths()), steps }
    }
}

impl BudgetLeft {
    /// Returns what is left of this budget after these minutes, credits and steps.
    pub fn of(budget: Budget, minutes: Minutes, credits: Credits, steps: i32) -> Self {
        Self {
            minutes: budget.minutes_left(minutes).map(MinuteCount),
            credits: budget.credits_left(credits).map(|left| amount(left.hundredths())),
            steps: budget.steps_left(u32::try_from(steps).unwrap_or(0)),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "amounts are below 2^53")]
fn amount(hundredths: i64) -> f64 {
    hundredths as f64 / 100.0
}
