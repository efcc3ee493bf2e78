"""One module a read. Each has `samples(studio, seeds)`, the media with what is true of it, and `rows(heard)`, what the
answers to that media are worth. To judge something else, add a module here and its name to `THEMES`."""

from . import beats, cuts, levels, speakers, speech, transcript, written

THEMES = {
    "levels": levels,
    "speech": speech,
    "beats": beats,
    "search_index": cuts,
    "written": written,
    "transcript": transcript,
    "speakers": speakers,
}
