"""One module a read, or a part of one. Each has `samples(studio, seeds)`, the media with what is true of it, and
`rows(heard)`, what the answers to that media are worth. To judge something else, add a module here and its name to
`THEMES`: a part of a read has the read's name, a dot and its own."""

from . import beats, cuts, levels, speakers, speech, transcript, unpaused, written

THEMES = {
    "levels": levels,
    "speech": speech,
    "beats": beats,
    "search_index": cuts,
    "written": written,
    "transcript": transcript,
    "speakers": speakers,
    "speakers.unpaused": unpaused,
}


def with_parts(names: list[str]) -> list[str]:
    """These names, and behind them the parts of those that are names of whole reads."""
    return [*names, *(part for part in THEMES if part not in names and part.partition(".")[0] in names)]
