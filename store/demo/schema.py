"""The tables of a fresh opencode 1.18.33 store, column by column."""

from __future__ import annotations

_TIMES = "time_created integer not null, time_updated integer not null"


def _belongs(table: str, column: str) -> str:
    return (
        f"constraint fk_{table}_{column} foreign key ({column}) "
        f"references {column.removesuffix('_id')}(id) on delete cascade"
    )


PROJECT = """create table project (
    id text primary key, worktree text not null, vcs text, name text, icon_url text,
    icon_url_override text, icon_color text, time_created integer not null,
    time_updated integer not null, time_initialized integer, sandboxes text not null,
    commands text)"""

SESSION = f"""create table session (
    id text primary key, project_id text not null, workspace_id text, parent_id text,
    slug text not null, directory text not null, path text, title text not null,
    version text not null, share_url text, summary_additions integer, summary_deletions integer,
    summary_files integer, summary_diffs text, metadata text, cost real default 0 not null,
    tokens_input integer default 0 not null, tokens_output integer default 0 not null,
    tokens_reasoning integer default 0 not null, tokens_cache_read integer default 0 not null,
    tokens_cache_write integer default 0 not null, revert text, permission text, agent text,
    model text, {_TIMES}, time_compacting integer, time_archived integer,
    {_belongs("session", "project_id")})"""

MESSAGE = f"""create table message (
    id text primary key, session_id text not null, {_TIMES}, data text not null,
    {_belongs("message", "session_id")})"""

PART = f"""create table part (
    id text primary key, message_id text not null, session_id text not null, {_TIMES},
    data text not null, {_belongs("part", "message_id")})"""

TODO = f"""create table todo (
    session_id text not null, content text not null, status text not null,
    priority text not null, position integer not null, {_TIMES},
    constraint todo_pk primary key (session_id, position), {_belongs("todo", "session_id")})"""

SESSION_SHARE = f"""create table session_share (
    session_id text primary key, id text not null, secret text not null, url text not null,
    {_TIMES}, {_belongs("session_share", "session_id")})"""

EVENT_SEQUENCE = """create table event_sequence (
    aggregate_id text primary key, seq integer not null, owner_id text)"""

EVENT = """create table event (
    id text primary key, aggregate_id text not null, seq integer not null, type text not null,
    data text not null, constraint fk_event_aggregate_id foreign key (aggregate_id)
    references event_sequence(aggregate_id) on delete cascade)"""

SESSION_MESSAGE = f"""create table session_message (
    id text primary key, session_id text not null, type text not null, seq integer not null,
    {_TIMES}, data text not null, {_belongs("session_message", "session_id")})"""

SESSION_INPUT = f"""create table session_input (
    id text primary key, session_id text not null, prompt text not null, delivery text not null,
    admitted_seq integer not null, promoted_seq integer, time_created integer not null,
    {_belongs("session_input", "session_id")})"""

SESSION_CONTEXT_EPOCH = f"""create table session_context_epoch (
    session_id text primary key, baseline text not null, snapshot text not null,
    baseline_seq integer not null, {_belongs("session_context_epoch", "session_id")})"""

PROJECT_DIRECTORY = f"""create table project_directory (
    project_id text not null, directory text not null, type text, strategy text,
    time_created integer not null,
    constraint project_directory_pk primary key (project_id, directory),
    {_belongs("project_directory", "project_id")})"""

PERMISSION = f"""create table permission (
    id text primary key, project_id text not null, action text not null, resource text not null,
    {_TIMES}, {_belongs("permission", "project_id")})"""

WORKSPACE = f"""create table workspace (
    id text primary key, type text not null, name text default '' not null, branch text,
    directory text, extra text, project_id text not null, time_used integer not null,
    {_belongs("workspace", "project_id")})"""

ACCOUNTS = (
    f"""create table account (
    id text primary key, email text not null, url text not null, access_token text not null,
    refresh_token text not null, token_expiry integer, {_TIMES})""",
    """create table account_state (
    id integer primary key, active_account_id text, active_org_id text,
    constraint fk_account_state_active_account_id foreign key (active_account_id)
    references account(id) on delete set null)""",
    f"""create table control_account (
    email text not null, url text not null, access_token text not null,
    refresh_token text not null, token_expiry integer, active integer not null, {_TIMES},
    constraint control_account_pk primary key (email, url))""",
    f"""create table credential (
    id text primary key, integration_id text, label text not null, value text not null,
    connector_id text, method_id text, active integer, {_TIMES})""",
)

LEDGERS = (
    "create table migration (id text primary key, time_completed integer not null)",
    "create table data_migration (name text primary key, time_completed integer not null)",
)

INDEXES = (
    "create unique index event_aggregate_seq_idx on event (aggregate_id, seq)",
    "create index event_aggregate_type_seq_idx on event (aggregate_id, type, seq)",
    """create unique index permission_project_action_resource_idx
    on permission (project_id, action, resource)""",
    """create index message_session_time_created_id_idx
    on message (session_id, time_created, id)""",
    "create index part_message_id_id_idx on part (message_id, id)",
    "create index part_session_idx on part (session_id)",
    "create unique index session_message_session_seq_idx on session_message (session_id, seq)",
    """create index session_message_session_time_created_id_idx
    on session_message (session_id, time_created, id)""",
    """create unique index session_input_session_admitted_seq_idx
    on session_input (session_id, admitted_seq)""",
    "create index session_project_idx on session (project_id)",
    "create index session_workspace_idx on session (workspace_id)",
    "create index session_parent_idx on session (parent_id)",
    "create index todo_session_idx on todo (session_id)",
)

TABLES = (
    WORKSPACE,
    *LEDGERS,
    *ACCOUNTS,
    EVENT_SEQUENCE,
    EVENT,
    PERMISSION,
    PROJECT_DIRECTORY,
    PROJECT,
    MESSAGE,
    PART,
    SESSION_CONTEXT_EPOCH,
    SESSION_INPUT,
    SESSION_MESSAGE,
    SESSION,
    TODO,
    SESSION_SHARE,
)

OPENCODE_1_18 = (*TABLES, *INDEXES)
"""Every statement that makes an empty store of 1.18.33, in order."""

MIGRATIONS = (
    "20260127222353_familiar_lady_ursula",
    "20260211171708_add_project_commands",
    "20260213144116_wakeful_the_professor",
    "20260604172448_event_sourced_session_input",
    "20260622170816_reset_v2_session_state",
    "20260622202450_simplify_session_input",
)
"""Names as in the ledger of a store, the oldest and the newest of them."""
