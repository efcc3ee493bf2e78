"""Takes the examples out of a README, in their order, as one program.

usage: readme.py <README> <language> <file to write>
"""

import pathlib
import re
import sys

_, readme, language, written = sys.argv
blocks = re.findall(rf"^```{language}\n(.*?)^```$", pathlib.Path(readme).read_text(), re.M | re.S)
if len(blocks) < 5:
    sys.exit(f"{readme} has {len(blocks)} examples in {language}")
# Imports of modules stand where they stand in the README, which both languages allow.
pathlib.Path(written).write_text("\n".join(blocks))
