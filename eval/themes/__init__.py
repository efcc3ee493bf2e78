"""One module a read. Each has `samples(studio, seeds)`, the media with what is true of it, and `rows(heard)`, what the
answers to that media are worth. To judge something else, add a module here and its name to `THEMES`."""

from . import beats, cuts, levels, speakers, speech, transcript

THEMES = {
    "levels": levels,
    "speech": speech,
    "beats": beats,
    "search_index": cuts,
    "transcript": transcript,
    "speakers": speakers,
}
