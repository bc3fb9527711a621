"""Tables of other versions and of MiMo Code: those a reader touches, and some it must leave."""

from __future__ import annotations

from store.demo import schema

_TIMES = "time_created integer not null, time_updated integer not null"

_PROJECT = f"""create table project (
    id text primary key, worktree text not null, vcs text, name text, icon_url text,
    icon_color text, {_TIMES}, time_initialized integer, sandboxes text not null)"""

_SESSION = f"""create table session (
    id text primary key, project_id text not null, parent_id text, slug text not null,
    directory text not null, title text not null, version text not null, share_url text,
    summary_additions integer, summary_deletions integer, summary_files integer,
    summary_diffs text, revert text, permission text, {_TIMES}, time_compacting integer,
    time_archived integer, constraint fk_session_project_id foreign key (project_id)
    references project(id) on delete cascade)"""

_PERMISSION = f"create table permission (project_id text primary key, {_TIMES}, data text not null)"

_CONTROL_ACCOUNT = f"""create table control_account (
    email text not null, url text not null, access_token text not null,
    refresh_token text not null, token_expiry integer, active integer not null, {_TIMES},
    constraint control_account_pk primary key (email, url))"""

OPENCODE_1_2 = (
    """create table __drizzle_migrations (
    id serial primary key, hash text not null, created_at numeric)""",
    _PROJECT,
    "alter table project add commands text",
    schema.MESSAGE,
    schema.PART,
    _PERMISSION,
    _SESSION,
    schema.TODO,
    schema.SESSION_SHARE,
    "create index message_session_idx on message (session_id)",
    "create index part_message_idx on part (message_id)",
    "create index part_session_idx on part (session_id)",
    "create index session_project_idx on session (project_id)",
    "create index session_parent_idx on session (parent_id)",
    "create index todo_session_idx on todo (session_id)",
    _CONTROL_ACCOUNT,
)
"""The nine tables of 1.2.1."""

_LATER = (
    "workspace_id text",
    "path text",
    "agent text",
    "model text",
    "cost real default 0 not null",
    *(
        f"tokens_{name} integer default 0 not null"
        for name in ("input", "output", "reasoning", "cache_read", "cache_write")
    ),
    "metadata text",
)

UPGRADE_1_14 = (
    *(f"alter table session add {column}" for column in _LATER),
    "alter table project add icon_url_override text",
    schema.EVENT_SEQUENCE,
    schema.EVENT,
    schema.WORKSPACE,
    schema.PROJECT_DIRECTORY,
    schema.SESSION_MESSAGE,
    schema.SESSION_INPUT,
    *schema.LEDGERS,
    "drop index message_session_idx",
    "drop index part_message_idx",
    "create index message_session_time_created_id_idx on message (session_id, time_created, id)",
    "create index part_message_id_id_idx on part (message_id, id)",
    "create unique index event_aggregate_seq_idx on event (aggregate_id, seq)",
)
"""What upgrades add to the tables of 1.2.1; columns come last."""

_FTS_DELETE = """insert into history_fts_idx (history_fts_idx, rowid, body)
    values ('delete', old.rowid, old.body);"""
_FTS_INSERT = "insert into history_fts_idx (rowid, body) values (new.rowid, new.body);"

MIMOCODE_AUGUST = (
    """create table __drizzle_migrations (
    id integer primary key, hash text not null, created_at numeric, name text, applied_at text)""",
    _PROJECT,
    "alter table project add commands text",
    schema.PART,
    _PERMISSION,
    _SESSION,
    "alter table session add workspace_id text",
    "alter table session add context_from text",
    "alter table session add context_watermark text",
    "alter table session add last_checkpoint_message_id text",
    "alter table session add prompt text",
    f"""create table todo (
    session_id text not null, content text not null, status text not null,
    position integer not null, {_TIMES}, constraint todo_pk primary key (session_id, position))""",
    _CONTROL_ACCOUNT,
    "create table event_sequence (aggregate_id text primary key, seq integer not null)",
    schema.EVENT,
    f"""create table actor_registry (
    session_id text not null references session(id) on delete cascade, actor_id text not null,
    mode text not null, parent_actor_id text, status text not null, agent text not null,
    description text not null, context_mode text not null, context_watermark text,
    background integer not null, tools text, last_turn_time integer not null,
    turn_count integer not null default 0, last_error text, time_completed integer, {_TIMES},
    last_outcome text, lifecycle text not null default 'ephemeral',
    instance_id text not null default '', last_activity_time integer,
    primary key (session_id, actor_id))""",
    f"""create table message (
    id text primary key not null,
    session_id text not null references session(id) on delete cascade,
    agent_id text not null default 'main', {_TIMES}, data text not null)""",
    """create table inbox (
    id text primary key not null,
    receiver_session_id text not null references session(id) on delete cascade,
    receiver_actor_id text not null, sender_session_id text, sender_actor_id text,
    type text not null default 'text', content text not null, created_at integer not null)""",
    """create table history_fts (
    part_id text primary key not null, session_id text not null, message_id text not null,
    project_id text not null, kind text not null, tool_name text, body text not null,
    time_created integer not null)""",
    """create virtual table history_fts_idx using fts5(
    body, content='history_fts', content_rowid='rowid',
    tokenize='unicode61 remove_diacritics 1')""",
    f"create trigger history_fts_ai after insert on history_fts begin {_FTS_INSERT} end",
    f"create trigger history_fts_ad after delete on history_fts begin {_FTS_DELETE} end",
    f"""create trigger history_fts_au after update on history_fts
    begin {_FTS_DELETE} {_FTS_INSERT} end""",
    """create table external_import (
    source text not null, source_key text not null, session_id text not null,
    source_path text not null, source_mtime integer not null, time_imported integer not null,
    message_ids text, primary key (source, source_key))""",
    "create index message_session_time_created_id_idx on message (session_id, time_created, id)",
    "create index message_session_agent_idx on message (session_id, agent_id, id)",
    "create index part_message_id_id_idx on part (message_id, id)",
    "create index part_session_idx on part (session_id)",
    "create index session_project_idx on session (project_id)",
    "create index session_parent_idx on session (parent_id)",
    "create index history_fts_session_idx on history_fts (session_id, time_created)",
    "create index history_fts_message_idx on history_fts (message_id)",
)
"""MiMo Code as of August 2026."""
