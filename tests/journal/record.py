"""Record the stories that have no recording yet: ``python -m tests.journal.record``.

A recording is never made again: it stands for what an older version has written. Whoever changes a story on purpose
deletes its file first, and says why in the commit.
"""

from __future__ import annotations

import sys

from tests.journal.recording import FOLDER
from tests.journal.stories import STORIES


def main() -> None:
    """Play each story that has no file, and write it."""
    FOLDER.mkdir(exist_ok=True)
    for name, story in STORIES.items():
        path = FOLDER / f"{name}.json"
        if path.exists():
            sys.stdout.write(f"kept      {path.name}\n")
            continue
        play = story.play()
        if play.status != story.status:
            raise SystemExit(f"{name} is {play.status}; expected {story.status}. Nothing was recorded.")
        play.record(name).write(path)
        sys.stdout.write(f"recorded  {path.name}\n")


if __name__ == "__main__":
    main()
