//! Reads what the bench needs to know of a page: its filters, the link to its next page, and what it loads.

/// A filter of a list.
pub struct Filter<'a> {
    /// Its name in the query.
    pub name: &'a str,
    /// The words that it can be; none where any text can be written.
    pub words: Vec<&'a str>,
}

/// Returns the filters of a page's list. A form that asks for a file is none.
pub fn filters(page: &str) -> Vec<Filter<'_>> {
    let mut forms = page.split("<form class=\"filters\"").skip(1).filter_map(|after| after.split("</form>").next());
    let asks_for_a_file = |form: &str| form.split('>').next().is_some_and(|tag| tag.contains(".csv\""));
    let form = forms.find(|form| !asks_for_a_file(form)).unwrap_or_default();
    let choices = form.split("<select ").skip(1).filter_map(|after| {
        let choice = after.split("</select>").next()?;
        let words = choice.split("<option value=\"").skip(1).filter_map(|after| after.split('"').next());
        Some(Filter { name: name(choice)?, words: words.filter(|word| !word.is_empty()).collect() })
    });
    let fields = form.split("<input ").skip(1).filter_map(|field| Some(Filter { name: name(field)?, words: vec![] }));
    choices.chain(fields).collect()
}

/// Returns the name of a field that begins here.
fn name(field: &str) -> Option<&str> {
    field.split('>').next()?.split("name=\"").nth(1)?.split('"').next()
}

/// Returns where the link to the next page leads.
pub fn next(page: &str) -> Option<String> {
    let (before, _) = page.split_once("\" rel=\"next\"")?;
    Some(before.rsplit("href=\"").next()?.replace("&amp;", "&"))
}

/// Returns the scripts that stand in a page.
pub fn scripts(page: &str) -> impl Iterator<Item = &str> {
    page.split("<script>").skip(1).filter_map(|after| after.split("</script>").next())
}

/// Whether a page loads a script, a style or a font, whose bytes are not its own.
pub fn loads_more(page: &str) -> bool {
    ["<script ", "rel=\"stylesheet\"", "@font-face"].iter().any(|mark| page.contains(mark))
}

/// Whether a part of a page could not be shown.
pub fn has_a_failed_part(page: &str) -> bool {
    page.contains(">Try again</a>")
}
