"""A timeline as editors take it: read by opentimelineio, written again, one clip shortened, and the EDL read by the CMX 3600
adapter.

usage: otio_carry.py <folder with film.otio and film.edl>

Writes same.otio and same.edl (read and written again) and shorter.otio (the first clip a second shorter) there, and prints what it saw as one
JSON object; what that must be is the calling test's to say.
"""

import json
import pathlib
import sys

import opentimelineio as otio

folder = pathlib.Path(sys.argv[1])
timeline = otio.adapters.read_from_file(str(folder / "film.otio"))
otio.adapters.write_to_file(timeline, str(folder / "same.otio"))
again = otio.adapters.read_from_file(str(folder / "same.otio"))

edl = otio.adapters.read_from_file(str(folder / "film.edl"), rate=25)
otio.adapters.write_to_file(edl, str(folder / "same.edl"), rate=25)
video = timeline.video_tracks()[0]
saw = {
    "same": timeline.is_equivalent_to(again),
    "seconds": video.duration().to_seconds(),
    "clips": len(list(timeline.find_clips())),
    "transitions": sum(isinstance(child, otio.schema.Transition) for child in video),
    "edl_clips": len(list(edl.find_clips())),
    "edl_seconds": edl.duration().to_seconds(),
    "edl_transitions": sum(isinstance(child, otio.schema.Transition) for child in edl.tracks[0]),
}

first = next(iter(video.find_clips()))
shown = first.source_range
first.source_range = otio.opentime.TimeRange(shown.start_time, shown.duration - otio.opentime.RationalTime(25, 25))
otio.adapters.write_to_file(timeline, str(folder / "shorter.otio"))
print(json.dumps(saw))
