"""Reads captions with srt or webvtt-py, by the name of the file, and prints each cue's seconds and words, as JSON."""

import json
import sys
from pathlib import Path

import srt
import webvtt

path = Path(sys.argv[1])
if path.suffix == ".srt":
    cues = list(srt.parse(path.read_text(encoding="utf-8"), ignore_errors=False))
    shown = [[cue.start.total_seconds(), cue.end.total_seconds(), cue.content] for cue in cues]
else:
    cues = webvtt.read(str(path))
    shown = [[cue.start_in_seconds, cue.end_in_seconds, cue.text] for cue in cues]
print(json.dumps(shown))
