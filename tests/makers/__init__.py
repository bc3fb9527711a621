"""Makes stores of the producers for tests: their content, and the state they are left in."""

from tests.makers.folder import as_nobody, fingerprint, open_folder, unprivileged
from tests.makers.mimocode import mimocode_db
from tests.makers.odd import (
    empty_file,
    folder_in_place,
    garbage,
    half,
    huge_row,
    set_column,
    set_data,
    unrelated_tables,
)
from tests.makers.opencode import opencode_db
from tests.makers.specs import (
    BASE,
    MessageSpec,
    PartSpec,
    SessionSpec,
    reasoning,
    text,
    tool,
    tool_error,
    two_talks,
)
from tests.makers.writers import Writer, killed_writer, live_writer

__all__ = [
    "BASE",
    "MessageSpec",
    "PartSpec",
    "SessionSpec",
    "Writer",
    "as_nobody",
    "empty_file",
    "fingerprint",
    "folder_in_place",
    "garbage",
    "half",
    "huge_row",
    "killed_writer",
    "live_writer",
    "mimocode_db",
    "open_folder",
    "opencode_db",
    "reasoning",
    "set_column",
    "set_data",
    "text",
    "tool",
    "tool_error",
    "two_talks",
    "unprivileged",
    "unrelated_tables",
]
