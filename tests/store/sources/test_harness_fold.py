"""Events become messages and parts: texts, calls with their results, ends of turns, flags, ids."""

from __future__ import annotations

import json
from typing import Any

import pytest

from store.extract import documents
from store.model import (
    Compaction,
    Content,
    Flag,
    Part,
    Reasoning,
    Retry,
    Text,
    Todos,
    Tool,
    Unknown,
)
from store.sources.harness_blocks import exit_code
from store.sources.harness_events import Header, event_of, header_of
from store.sources.harness_fold import Fold
from store.sources.harness_talk import Talk
from tests.makers import BASE
from tests.makers.harness import (
    LogSpec,
    assistant,
    call,
    event,
    header,
    replacing,
    rows,
    small_talk,
    text,
    thought,
    title,
    todos,
    tool_call,
    tool_result,
    turn_end,
    turn_start,
    user,
)


def folded(*events: dict[str, Any], idle: bool = True, parent: bool = True, **spec: Any) -> Talk:
    """A log of these events, folded."""
    made = LogSpec(events=events, **spec)
    head = header_of(header(made))
    assert isinstance(head, Header)
    fold = Fold(head, parent_here=parent)
    fold.take(event_of(row, b"") for row in rows(made))
    return fold.talk(idle=idle)


def contents(talk: Talk) -> list[Content]:
    return [part.content for part in talk.parts]


def flags(talk: Talk) -> list[tuple[Flag, ...]]:
    return [part.flags for part in talk.parts]


def only_tool(talk: Talk) -> tuple[Part, Tool]:
    """The one call of a talk."""
    found = [(one, one.content) for one in talk.parts if isinstance(one.content, Tool)]
    assert len(found) == 1
    return found[0]


def test_a_turn_with_everything_usual() -> None:
    talk = folded(*small_talk())
    assert [(one.id, one.role, one.time - BASE) for one in talk.messages] == [
        ("u1", "user", 10),
        ("a1", "assistant", 30),
        ("a2", "assistant", 60),
    ]
    assert [(one.id, one.message) for one in talk.parts] == [
        ("u1#0", "u1"),
        ("a1#0", "a1"),
        ("a1#1", "a1"),
        ("a2#0", "a2"),
    ]
    tool = Tool(
        name="bash",
        call="call_1",
        status="completed",
        input={"command": "ss -ltn"},
        output="LISTEN 127.0.0.1:4096\n",
        started=BASE + 40,
        ended=BASE + 50,
    )
    assert contents(talk) == [
        Text("Which port does the server use? 端口"),
        Reasoning("Ask the socket list."),
        tool,
        Text("It listens on 4096."),
    ]
    assert (talk.title, talk.updated, talk.faults) == ("Find the port", BASE + 70, ())


def test_an_answer_knows_its_model_its_question_and_its_tokens() -> None:
    usage = {"inputTokens": 12, "outputTokens": 4, "cacheReadTokens": 9}
    answer = assistant(text("yes"))
    answer["data"]["usage"] = usage
    message = folded(user("well?"), answer).messages[1]
    assert (message.model, message.parent, message.completed) == ("stub/stub-1", "u1", BASE + 10)
    assert message.tokens == {
        "input": 12,
        "output": 4,
        "reasoning": 0,
        "cache": {"read": 9, "write": 0},
    }


def test_documents_of_all_blocks() -> None:
    talk = folded(
        assistant(
            text(" visible "),
            thought("thought"),
            call("read", '{"path":"a"}'),
            {"type": "odd", "size": 3},
        ),
        tool_result("nested"),
    )
    found = [document for one in talk.parts for document in documents(one.content, "assistant")]
    assert found == [
        ("assistant_text", " visible "),
        ("reasoning", "thought"),
        ("tool_input", "read\npath: a"),
        ("tool_output", "nested"),
    ]
    assert contents(talk)[3] == Unknown("odd", {"size": 3})


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_a_failed_result_of_every_version(version: int) -> None:
    oops = {"name": "Oops", "code": "E_OOPS"}
    result = tool_result("failed", version=version, failed=True, error=oops)
    _, tool = only_tool(folded(assistant(call("bash", "{}")), result, version=version))
    assert (tool.status, tool.output, tool.error) == ("error", None, "failed\nOops\nE_OOPS")


def test_arguments_that_are_no_json_are_kept_as_text() -> None:
    _, tool = only_tool(folded(assistant(call("bash", '{"command": "ls'))))
    assert tool.input == '{"command": "ls'


def test_an_exit_code_from_the_end_of_the_output_and_from_the_job() -> None:
    _, tool = only_tool(folded(assistant(call("bash", "{}")), tool_result("no\n[exit code: 3]")))
    assert tool.exit == 3
    job = {"toolCall": {"callId": "call_1"}, "detail": "exit code: 0"}
    _, tool = only_tool(
        folded(assistant(call("bash", "{}")), event("job/settled", job), tool_result("ok"))
    )
    assert tool.exit == 0


def test_an_exit_code_that_none_can_be_is_none() -> None:
    long = "9" * 5000
    answer = tool_result(f"no\n[exit code: {long}]")
    _, tool = only_tool(folded(assistant(call("bash", "{}")), answer))
    assert tool.exit is None
    assert exit_code(f"exit code: {long}") is None


def test_a_change_of_a_file_is_a_diff() -> None:
    meta = {"path": "/a.py", "diffs": [{"path": "/a.py", "oldText": "x\ny", "newText": "x\nz"}]}
    _, tool = only_tool(folded(assistant(call("edit", "{}")), tool_result("done", meta=meta)))
    assert tool.diff.splitlines() == ["--- /a.py", "+++ /a.py", "@@ -1,2 +1,2 @@", " x", "-y", "+z"]
    assert tool.meta == {"path": "/a.py"}


def test_a_call_without_an_answer_around_it_is_a_part_of_the_turn() -> None:
    part, tool = only_tool(folded(turn_start(), tool_call("bash", '{"c":1}'), tool_result("out")))
    assert (part.id, part.message) == ("session-one#turn-1#call_1", "session-one#turn-1")
    assert (tool.name, tool.output) == ("bash", "out")


def test_a_list_of_things_to_do() -> None:
    talk = folded(user("go"), todos(("in_progress", "ship search"), ("pending", "rest")))
    held = talk.parts[1].content
    assert held == Todos((("in_progress", "ship search"), ("pending", "rest")))
    assert documents(held, "user") == [("todo", "in_progress\nship search\npending\nrest")]


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ({"kind": "error", "error": {"message": "boom"}}, "error\nboom"),
        ({"kind": "aborted", "reason": {"kind": "user"}}, "aborted"),
        ({"kind": "max-tokens"}, "max-tokens"),
        ({"kind": "interrupted"}, "interrupted"),
        ({"kind": "completed"}, ""),
        ({"kind": "blocked"}, ""),
        ({"kind": "of another kind"}, ""),
    ],
)
def test_how_a_turn_ended_is_an_error_of_its_answer(reason: dict[str, Any], said: str) -> None:
    talk = folded(turn_start(), user("go"), assistant(text("well")), turn_end(**reason))
    assert [message.error for message in talk.messages] == ["", said]


def test_a_turn_that_failed_before_any_answer_has_a_message_of_its_own() -> None:
    error = {"message": "no such model", "code": "HTTP_404", "status": 404}
    talk = folded(turn_start(), user("go"), turn_end("error", error=error))
    assert [(one.id, one.role, one.error) for one in talk.messages] == [
        ("u1", "user", ""),
        ("session-one#turn-1", "assistant", "error\nno such model\nHTTP_404 404"),
    ]


def test_a_model_call_that_was_tried_again() -> None:
    retry = {"retry": 1, "failure": {"code": "SERVER", "message": "overloaded"}}
    talk = folded(turn_start(), user("go"), event("llm/retry", retry), assistant(text("ok")))
    assert talk.parts[1].content == Retry(1, "SERVER: overloaded")
    assert talk.parts[1].message == "session-one#turn-1"


def test_what_the_program_put_in_is_synthetic() -> None:
    talk = folded(user("mine"), user("context", "u2", kind="runtime-context"))
    assert flags(talk) == [(), ("synthetic",)]
    assert [message.flags for message in talk.messages] == [(), ("synthetic",)]


def test_replaced_messages_are_shadowed_and_stay() -> None:
    talk = folded(
        user("one"),
        assistant(text("two")),
        user("three", "u3", surfaceOp=replacing(0, 1), sourceEventSeqs=[0, 1]),
    )
    assert flags(talk) == [("shadowed",), ("shadowed",), ()]
    assert talk.parts[0].updated == BASE + 20


def test_a_checkpoint_is_a_compaction_with_the_summary_alone() -> None:
    told = {"compactionId": "c1", "summary": [text("they spoke")], "shadowedSeqs": [0]}
    content = [text("A checkpoint:"), text("they spoke")]
    source = {"kind": "compact-checkpoint", "compactionId": "c1"}
    data = {"role": "user", "id": "u9", "content": content, "source": source}
    op = {"surfaceOp": replacing(0, 0), "sourceEventSeqs": [1, 0]}
    talk = folded(
        user("long"), event("compaction/summary", told), event("user/message", data, **op)
    )
    assert contents(talk)[1:] == [Text("A checkpoint:"), Compaction(auto=True, text="they spoke")]
    assert flags(talk) == [("shadowed",), ("synthetic",), ()]


def test_a_pruned_result_keeps_its_text_and_says_what_the_agent_saw() -> None:
    talk = folded(
        assistant(call("bash", "{}")),
        tool_result("long long output"),
        event("compaction/prune", {"shadowedSeqs": [1]}),
        tool_result("long …", surfaceOp=replacing(1, 1), sourceEventSeqs=[1]),
    )
    part, tool = only_tool(talk)
    assert (tool.output, tool.meta["replaced by"]) == ("long long output", "long …")
    assert part.flags == ("shadowed",)
    assert talk.faults == ()


def test_an_open_call_of_a_dead_log_is_interrupted_and_of_a_live_one_is_not() -> None:
    events = (turn_start(), user("go"), assistant(call("bash", "{}")), tool_call("bash", "{}"))
    part, tool = only_tool(folded(*events))
    assert (tool.status, part.flags) == ("running", ("interrupted",))
    part, _ = only_tool(folded(*events, idle=False))
    assert part.flags == ()


def test_a_result_that_dsh_added_after_a_crash_is_interrupted() -> None:
    error = {"name": "Error", "code": "TOOL_OUTCOME_UNKNOWN"}
    part, tool = only_tool(
        folded(assistant(call("bash", "{}")), tool_result("?", failed=True, error=error))
    )
    assert (tool.status, part.flags) == ("error", ("interrupted",))


def stream(*pieces: str) -> list[dict[str, Any]]:
    """A stream of version 0: a chunk, and the rest packed into one row."""
    first = {"type": "text-delta", "index": 0, "text": pieces[0]}
    packed = {"turn": 1, "step": 1, "index": 0, "dt": [1] * (len(pieces) - 2)}
    return [
        event("assistant/chunk", {"turn": 1, "step": 1, "chunk": first}),
        event("text-chunks", {**packed, "texts": list(pieces[1:])}),
    ]


def test_a_stream_that_broke_off_is_kept_from_its_chunks() -> None:
    events = (turn_start(), user("go"), *stream("half", " an", " ans", "wer"))
    talk = folded(*events, version=0)
    assert contents(talk)[1:] == [Text("half an answer")]
    assert (talk.parts[1].message, flags(talk)[1]) == ("session-one#turn-1", ("interrupted",))


def test_an_answer_is_shown_while_it_streams() -> None:
    events = (turn_start(), user("go"), *stream("half", " an", " ans", "wer"))
    talk = folded(*events, version=0, idle=False)
    assert contents(talk)[1:] == [Text("half an answer")]
    assert (talk.parts[1].message, flags(talk)[1]) == ("session-one#running", ())
    message = talk.messages[-1]
    assert (message.role, message.parent, message.completed) == ("assistant", "u1", None)
    assert (message.time, talk.updated) == (BASE + 20, BASE + 30)


def test_an_answer_that_ended_streams_no_more() -> None:
    events = (turn_start(), user("go"), *stream("a", "b", "c", "d"), assistant(text("abcd")))
    talk = folded(*events, version=0, idle=False)
    assert [one.id for one in talk.messages] == ["u1", "a1"]


def test_what_streams_is_shown_anew_each_time_the_log_grew() -> None:
    made = LogSpec(events=(turn_start(), *stream("a", "b", "c"), *stream("d", "e", "f")), version=0)
    head = header_of(header(made))
    assert isinstance(head, Header)
    fold, said = Fold(head, parent_here=True), []
    for row in rows(made):
        fold.take([event_of(row, b"")])
        said.append(contents(fold.talk(idle=False)))
    assert said == [[], [Text("a")], [Text("abc")], [Text("abcd")], [Text("abcdef")]]


def test_a_stream_with_its_message_is_told_once() -> None:
    talk = folded(turn_start(), *stream("a", "b", "c", "d"), assistant(text("abcd")), version=0)
    assert contents(talk) == [Text("abcd")]
    assert talk.faults == ()


def test_the_text_of_an_attempt_that_was_given_up() -> None:
    items = [{"type": "text-chunks", "index": 0, "texts": ["so ", "far"], "time0": 1, "dt": [0]}]
    talk = folded(turn_start(), user("go"), event("assistant/attempt", {"stream": items}))
    assert contents(talk)[1:] == [Text("so far")]


def test_unknown_events_are_kept_and_bookkeeping_is_not() -> None:
    talk = folded(
        user("go"), event("future/event", {"a": 1}, ignorable=True), event("plan/mode", {})
    )
    assert contents(talk)[1:] == [Unknown("future/event", {"a": 1})]
    assert talk.parts[1].id == "u1#future/event"


def test_the_call_that_started_a_sub_agent_knows_its_session() -> None:
    catalog = event("subagent/catalog", {"childId": "child-1", "label": "count"})
    _, tool = only_tool(folded(turn_start(), assistant(call("subagent", "{}")), catalog))
    assert tool.meta == {"sessionId": "child-1"}
    _, tool = only_tool(
        folded(assistant(call("subagent", "{}")), tool_result("started subagent child-2"))
    )
    assert tool.meta == {"sessionId": "child-2"}


def test_the_last_title_counts() -> None:
    assert folded(title("first"), title("second")).title == "second"


def test_an_inherited_beginning_is_marked_where_the_parent_is_here() -> None:
    seeded = (user("of the parent"), event("session/end-seed", {"inherited": True}))
    events = (*seeded, user("of the child", "u2"))
    assert flags(folded(*events)) == [("fork",), ()]
    assert flags(folded(*events, parent=False)) == [(), ()]


def test_an_inherited_beginning_of_version_0_and_a_resumed_log() -> None:
    old = folded(user("parent's"), user("mine", "u2"), version=0, extra={"seedLength": 1})
    assert flags(old) == [("fork",), ()]
    resumed = folded(user("mine"), event("session/end-seed", {}), user("mine too", "u2"))
    assert flags(resumed) == [(), ()]


def test_ids_are_the_same_in_every_generation() -> None:
    begun, rest = small_talk()[:3], small_talk()[3:]
    old = folded(*begun, *stream("a", "b", "c", "d"), *rest, version=0)
    assert [one.id for one in old.parts] == [one.id for one in folded(*small_talk()).parts]


def test_messages_of_one_moment_keep_the_order_of_the_log() -> None:
    talk = folded(
        user("z first", "z", time=BASE), user("a second", "a", time=BASE), user("b", time=BASE - 5)
    )
    order = sorted((one.time, one.id) for one in talk.messages)
    assert [ident for _, ident in order] == ["z", "a", "u1"]
    assert [one.time for one in talk.parts] == [BASE, BASE, BASE - 5]


def test_an_id_that_comes_again_gets_a_number() -> None:
    talk = folded(user("one", "same"), user("two", "same"))
    assert [one.id for one in talk.messages] == ["same", "same~2"]


def test_a_broken_surface_is_a_fault_beside_the_messages() -> None:
    talk = folded(event("user/message", user("still here")["data"]))
    assert contents(talk) == [Text("still here")]
    assert [(one.code, one.about) for one in talk.faults] == [
        ("INVALID_SURFACE", "session-one#surface")
    ]


def test_a_call_that_a_program_of_the_model_made() -> None:
    data = {"rootCallId": "call_1", "subCallId": "sub_1", "name": "read", "arguments": "{}"}
    inner = event("tool/ptc-dispatch", {**data, "isError": False, "content": [text("inside")]})
    talk = folded(assistant(call("code", "{}")), inner)
    held = talk.parts[1].content
    assert isinstance(held, Tool)
    assert (talk.parts[1].message, held.name, held.output) == ("a1", "read", "inside")
    assert json.dumps(held.input) == "{}"


def test_half_letters_in_ids_and_titles_can_be_stored() -> None:
    talk = folded(title("a\ud83d"), user("b\ud83d", "id\ud83d"))
    assert (talk.title, talk.messages[0].id, talk.parts[0].id) == ("a?", "id?", "id?#0")
    assert contents(talk) == [Text("b\ud83d")]
