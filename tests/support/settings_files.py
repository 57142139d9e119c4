"""Settings files in a home and a project."""

from pathlib import Path


class SettingsFiles:
    """Where the files of a user and of a project lie; their folders are there, they are not."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home" / ".pilotfish"
        self.root = folder / "project"
        self.user = self.home / "settings.json"
        self.project = self.root / ".pilotfish" / "settings.json"
        self.local = self.root / ".pilotfish" / "settings.local.json"
        for file in (self.user, self.project):
            file.parent.mkdir(parents=True)
