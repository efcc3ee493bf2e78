"""Reads a calendar feed with icalendar and prints what a calendar program would show, as JSON."""

import json
import sys
from pathlib import Path

from icalendar import Calendar


def shown(event):
    categories = event.get("categories")
    return {
        "uid": str(event["uid"]),
        "summary": str(event["summary"]),
        "description": str(event.get("description", "")),
        "seconds": int((event["dtend"].dt - event["dtstart"].dt).total_seconds()),
        "categories": [str(one) for one in categories.cats] if categories else [],
    }


calendar = Calendar.from_ical(Path(sys.argv[1]).read_bytes())
assert str(calendar["version"]) == "2.0", calendar["version"]
assert not calendar.errors, calendar.errors
print(json.dumps([shown(event) for event in calendar.walk("VEVENT")]))
