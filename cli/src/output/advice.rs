//! What a project's agent says that people can do, as commands in place of the routes that it names.

use crate::failure::with_commands;

/// The route by which people answer, as the agent names it.
const SAY: &str = "POST /projects/{id}/messages";
/// The parts of a budget, and the flags that raise them.
const BUDGET: [(&str, &str); 3] =
    [("minutes", "--budget-minutes"), ("credits", "--budget-credits"), ("steps", "--budget-steps")];

/// Returns an agent's message about the project of this id with commands in place of routes and tools.
pub fn advised(message: &str, id: &str) -> String {
    let say = format!("mws projects message {id}");
    let mut said = message.replace("(POST /uploads, import_media)", "(`mws upload`)");
    for (part, flag) in BUDGET {
        let opens = format!("{SAY}: {{\"text\": \"go on\", \"budget\": {{\"{part}\": ");
        if let Some((before, rest)) = said.split_once(&opens)
            && let Some((amount, after)) = rest.split_once("}}")
        {
            said = format!("{before}`{say} \"go on\" {flag} {amount}`{after}");
        }
    }
    let said = said.replace(&format!("say \"go on\" with {SAY}"), &format!("run `{say} \"go on\"`"));
    with_commands(&said.replace(SAY, &format!("`{say} \"…\"`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_asks_for_is_a_command() {
        let source = include_str!("../../../common/domain/src/agent/telling.rs");
        for part in [format!("const SAY: &str = \"{SAY}\""), "(POST /uploads, import_media)".to_owned()] {
            assert!(source.contains(&part), "the agent names it so: {part}");
        }
        let command = "`mws projects message prj_1 \"";
        for (said, here) in [
            (
                "Import it (POST /uploads, import_media), then say so with POST /projects/{id}/messages.",
                format!("Import it (`mws upload`), then say so with {command}…\"`."),
            ),
            (
                "Raise the budget with POST /projects/{id}/messages: {\"text\": \"go on\", \"budget\": {\"minutes\": 5.25}}, or ask for less.",
                format!("Raise the budget with {command}go on\" --budget-minutes 5.25`, or ask for less."),
            ),
            (
                "See GET /balances. Then say \"go on\" with POST /projects/{id}/messages.",
                format!("See `mws balances`. Then run {command}go on\"`."),
            ),
        ] {
            assert_eq!(advised(said, "prj_1"), here);
        }
    }
}
