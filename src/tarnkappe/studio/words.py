"""Words that several pages share."""

from __future__ import annotations

from tarnkappe.language import Text

OPENED = Text("open a file", "Datei öffnen")
NEXT = Text("Next", "Weiter")
BACK = Text("Back", "Zurück")
CANCEL = Text("Cancel", "Abbrechen")
COPY = Text("Copy", "Kopieren")
CLOSE = Text("Close", "Schließen")
ADD = Text("Add", "Hinzufügen")
REMOVE = Text("Remove", "Entfernen")
SAVE = Text("Save", "Speichern")
NO_DATA = Text("No file is open yet.", "Es ist noch keine Datei geöffnet.")
OPEN_ONE = Text("Open a file", "Datei öffnen")
