//! The messages with which the agent ends a run: what it made or what went wrong, and what people can do next.

use super::End;
use super::film::FilmDraft;
use crate::credits::Credits;
use crate::minutes::Minutes;
use crate::project::{OutputType, ProjectStatus};
use std::collections::BTreeSet;

/// The operation by which people answer.
const SAY: &str = "POST /projects/{id}/messages";

/// Returns the end of a run that waits for people: the project is `idle`.
pub fn asked(message: String) -> End {
    End { status: ProjectStatus::Idle, message }
}

/// Returns the end of a run that failed.
pub fn failed(message: String) -> End {
    End { status: ProjectStatus::Failed, message }
}

/// Returns the end when the workspace has no video.
pub fn no_footage(notes: &[String]) -> End {
    let told = with_notes("There is no video in the workspace.".to_owned(), notes);
    failed(format!("{told} Upload footage or import it (POST /uploads, import_media), then say so with {SAY}."))
}

/// Returns the end when nothing is left of the footage without these words.
pub fn nothing_left(without: &[String], notes: &[String]) -> End {
    let told = with_notes(format!("Nothing of the footage is left to show without: {}.", without.join(", ")), notes);
    failed(format!("{told} Say with {SAY} what may be shown all the same, or upload other footage."))
}

/// Returns the end when no footage fits the words; `is_rest` says whether some of it was left out before.
pub fn nothing_found(words: &[String], is_rest: bool, notes: &[String]) -> End {
    let (words, footage) = (words.join(", "), if is_rest { "rest of the footage" } else { "footage" });
    let told = with_notes(format!("Nothing in the {footage} is said, shown or called like: {words}."), notes);
    failed(format!("{told} Say other words with {SAY}, or upload footage of it."))
}

/// Returns the end when a step would cost more minutes than the budget has left.
pub fn over_budget(what: &str, price: Minutes, left: Minutes, spent: Minutes) -> End {
    let raised = price + spent;
    asked(format!(
        "{what} would take {price} cloud minutes, and {left} of the budget are left. Shall it? Raise the budget with \
         {SAY}: {{\"text\": \"go on\", \"budget\": {{\"minutes\": {raised}}}}}, or ask for less."
    ))
}

/// Returns the end when a step would cost more credits than the budget has left.
pub fn over_credits(what: &str, price: Credits, left: Credits, spent: Credits) -> End {
    let raised = price + spent;
    asked(format!(
        "{what} would take {price} AI credits, and {left} of the budget are left. Shall it? Raise the budget with \
         {SAY}: {{\"text\": \"go on\", \"budget\": {{\"credits\": {raised}}}}}, or ask for less."
    ))
}

/// Returns the end when the model can't be asked.
pub fn model_failed(model: &str, why: &str) -> End {
    failed(format!(
        "The model `{model}` could not be asked: {why} Whoever runs the service finds more in its log; when that is \
         put right, say \"go on\" with {SAY}."
    ))
}

/// Returns the end when the budget's steps are used up.
pub fn out_of_steps(taken: u32) -> End {
    let steps = if taken == 1 { "a single step".to_owned() } else { format!("{taken} steps") };
    asked(format!(
        "It has taken {steps}, which is the budget. Shall it go on? Raise the budget with {SAY}: {{\"text\": \
         \"go on\", \"budget\": {{\"steps\": {}}}}}.",
        taken.saturating_add(super::USUAL_STEPS)
    ))
}

/// Returns the end when the account has too few minutes or credits.
pub fn out_of_minutes(why: &str) -> End {
    asked(format!("{why} Then say \"go on\" with {SAY}."))
}

/// Returns the end when a tool refused what can't be done without.
pub fn stuck(what: &str, why: &str) -> End {
    failed(format!("{what} was refused: {why} When that is put right, say \"go on\" with {SAY}."))
}

/// Returns the end when everything was made, or all that could be. `made` has the rendered items, with their lengths in
/// milliseconds.
pub fn done(
    output: OutputType,
    films: &[FilmDraft],
    made: &[(String, i64)],
    names: &[String],
    notes: &[String],
) -> End {
    let ms: i64 = match output {
        OutputType::Clips => made.iter().map(|(_, ms)| ms).sum(),
        OutputType::Assembled | OutputType::Timeline => films.iter().map(FilmDraft::ms).sum(),
    };
    let stretches: usize = films.iter().map(FilmDraft::stretches).sum();
    let seconds = Minutes::from_hundredths(ms / 10);
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let from = names.into_iter().take(5).collect::<Vec<_>>().join(", ");
    let moments = if stretches == 1 { "1 moment".to_owned() } else { format!("{stretches} moments") };
    let mut message = match output {
        OutputType::Assembled => format!("The film is ready: {seconds} s, {moments} of {from}"),
        OutputType::Timeline => format!("The timeline is ready: {seconds} s, {moments} of {from}"),
        OutputType::Clips => format!("The clips are ready: {} of {from}, {seconds} s together", made.len()),
    };
    if let Some(music) = films.iter().find_map(|film| film.music.as_ref()) {
        message.push_str(", with music of ");
        message.push_str(&music.name);
    }
    message.push('.');
    asked(format!("{} Say what to change with {SAY}.", with_notes(message, notes)))
}

/// Returns a message with up to six notes after it.
fn with_notes(mut message: String, notes: &[String]) -> String {
    for note in notes.iter().take(6) {
        message.push(' ');
        message.push_str(note);
    }
    message
}

#[cfg(test)]
mod tests {
    use super::super::moments::Moment;
    use super::*;

    #[test]
    fn moments_that_go_on_into_each_other_are_told_as_one() {
        let moment =
            |item: &str, start, end| Moment { item: item.to_owned(), start, end, text: String::new(), silent: 0 };
        let told = |moments: &[Moment]| {
            let (name, moments) = ("Film".to_owned(), moments.to_vec());
            let film = FilmDraft { name, moments, music: None, captions: false, aspect: None };
            done(OutputType::Assembled, &[film], &[], &["Talk".to_owned()], &[]).message
        };
        let talk = [moment("talk", 0, 10_000), moment("talk", 10_000, 25_000)];
        assert!(told(&talk).contains("25.00 s, 1 moment of Talk."), "{}", told(&talk));
        let apart = [moment("talk", 0, 10_000), moment("talk", 10_001, 25_001), moment("river", 25_001, 30_001)];
        assert!(told(&apart).contains("30.00 s, 3 moments of Talk."), "{}", told(&apart));
    }
}
