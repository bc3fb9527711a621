"""The stored JSON of a session through the door, and pages of a session that changes meanwhile."""

from __future__ import annotations

import json
from pathlib import Path

from store.library import Library
from tests.makers import BASE, MessageSpec, PartSpec, opencode_db, set_data, text
from tests.store.shelf import edit, library, sync, talk

REVERT = {"messageID": "msg_1", "snapshot": "abc"}
TALK = talk(
    "one",
    MessageSpec("user", [PartSpec(text("hi", odd=[1]), id="prt_1")], id="msg_1", time=BASE),
    columns={"revert": json.dumps(REVERT), "share_url": "https://x/1", "time_archived": 7},
    time=BASE,
)


def opened(folder: Path) -> Library:
    held = library(folder / "index.db", opencode_db(folder / "opencode.db", sessions=[TALK]))
    sync(held)
    return held


def test_ids_are_put_into_the_stored_json_of_messages_and_parts(tmp_path: Path) -> None:
    held = opened(tmp_path)
    found = held.originals(held.page("ses_one", 0, 5))
    assert found["prt_1"] == {
        "type": "text",
        "text": "hi",
        "odd": [1],
        "id": "prt_1",
        "sessionID": "ses_one",
        "messageID": "msg_1",
    }
    assert list(found["msg_1"])[-2:] == ["id", "sessionID"]
    assert found["msg_1"]["role"] == "user"
    held.close()


def test_the_columns_of_a_session_become_its_info(tmp_path: Path) -> None:
    held = opened(tmp_path)
    info = held.originals(held.page("ses_one", 0, 0))["ses_one"]
    assert info["id"] == "ses_one"
    assert info["revert"] == REVERT
    assert info["share"] == {"url": "https://x/1"}
    assert info["time"]["archived"] == 7
    assert "parentID" not in info
    assert info["tokens"]["cache"] == {"read": 0, "write": 0}
    held.close()


def test_a_broken_row_is_not_there(tmp_path: Path) -> None:
    held = opened(tmp_path)
    set_data(tmp_path / "opencode.db", "prt_1", "{broken")
    found = held.originals(held.page("ses_one", 0, 5))
    assert found.keys() == {"ses_one", "msg_1"}
    held.close()


def test_a_page_sees_what_was_added_after_the_one_before(tmp_path: Path) -> None:
    held = opened(tmp_path)
    assert held.page("ses_one", 0, 5).total == 1
    data = json.dumps({"role": "user", "time": {"created": BASE + 1}})
    sql = (
        "insert into message(id, session_id, time_created, time_updated, data)"
        " values('msg_2', 'ses_one', ?, ?, ?)"
    )
    edit(tmp_path / "opencode.db", (sql, (BASE + 1, BASE + 1, data)))
    page = held.page("ses_one", 0, 5)
    assert [one.message.id for one in page.messages] == ["msg_1", "msg_2"]
    held.close()
