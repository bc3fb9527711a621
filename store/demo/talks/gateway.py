"""An API gateway that lost its database after a move."""

# ruff: noqa: E501 - what is said stays in one piece

from __future__ import annotations

from store.demo.blocks import ask, say, think
from store.demo.script import Step, Talk
from store.demo.talks.trace import PROMPT, REPORT, ROOT
from store.demo.tools import (
    bash,
    call,
    edit,
    failed,
    grep,
    question,
    read,
    task,
    todos,
)

POOL_GO = """package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Open dials the database and fails fast when nobody answers.
func Open(ctx context.Context, cfg Config) (*pgxpool.Pool, error) {
	dsn := fmt.Sprintf("postgres://%s@%s:%d/%s", cfg.User, cfg.Host, 5432, cfg.Name)
	pc, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("parse dsn: %w", err)
	}
	pc.MaxConns = 16
	pc.MaxConnIdleTime = 5 * time.Minute
	return pgxpool.NewWithConfig(ctx, pc)
}
"""

TESTS_RED = """\x1b[1m=== RUN   TestReady\x1b[0m
    ready_test.go:31: GET /ready: got \x1b[31m503\x1b[0m, want \x1b[32m200\x1b[0m
    ready_test.go:34: body: dial tcp 10.0.0.7:5432: connect: connection refused
\x1b[31m--- FAIL: TestReady (2.01s)\x1b[0m
=== RUN   TestHealth
\x1b[32m--- PASS: TestHealth (0.00s)\x1b[0m
\x1b[31mFAIL\x1b[0m
exit status 1
FAIL	gateway/internal/store	2.034s
"""

TESTS_GREEN = """\x1b[32m--- PASS: TestReady (0.04s)\x1b[0m
\x1b[32m--- PASS: TestHealth (0.00s)\x1b[0m
\x1b[1;32mPASS\x1b[0m
ok  	gateway/internal/store	0.061s
"""

PSQL = """psql: error: connection to server at "10.0.0.7", port 5432 failed: Connection refused
	Is the server running on that host and accepting TCP/IP connections?
"""

LISTEN = """State   Recv-Q  Send-Q  Local Address:Port   Peer Address:Port
LISTEN  0       244         10.0.0.7:6432         0.0.0.0:*      users:(("pgbouncer",pid=811))
LISTEN  0       244        127.0.0.1:5432         0.0.0.0:*      users:(("postgres",pid=790))
LISTEN  0       128          0.0.0.0:22           0.0.0.0:*      users:(("sshd",pid=402))
"""

COMPARED = """ setting          | before | after
------------------+--------+-------
 listen_addresses | *      | localhost
 port             | 5432   | 5432
 max_connections  | 200    | 200
(3 rows)
"""

MOVED = Talk(
    key="moved",
    title="Gateway cannot reach Postgres after the move",
    project="gateway",
    ago=38,
    slug="brisk-lantern",
    acts=(
        ask(
            "Since last night's move to the new rack the gateway logs `connection refused` for "
            "Postgres every few seconds. The database team says it is up. Who is right?",
            after=1,
        ),
        Step(
            (
                think(
                    "Both can be right: the server may be up and not listen where we dial. Look "
                    "at the failing test first, then at the address from outside."
                ),
                say("I will reproduce it, then look at what really listens over there."),
                bash(
                    "go test ./internal/store -run 'Ready|Health' -v",
                    TESTS_RED,
                    exit=1,
                    about="Runs the readiness tests",
                    ms=5300,
                ),
                bash(
                    "psql -h 10.0.0.7 -p 5432 -U gateway -c 'select 1'",
                    PSQL,
                    exit=2,
                    about="Dials Postgres by hand",
                    ms=340,
                ),
                failed(
                    "read",
                    {"filePath": f"{ROOT}/config/prod.yaml"},
                    f"File not found: {ROOT}/config/prod.yaml\n\nDid you mean one of these?\n"
                    f"{ROOT}/config/production.yaml",
                ),
            ),
        ),
        Step(
            (
                grep(
                    "5432|DB_PORT|db.port",
                    ROOT,
                    {
                        f"{ROOT}/internal/store/pool.go": (
                            (
                                13,
                                '	dsn := fmt.Sprintf("postgres://%s@%s:%d/%s", cfg.User, cfg.Host, '
                                "5432, cfg.Name)",
                            ),
                        ),
                        f"{ROOT}/config/production.yaml": ((4, "  port: 6432"),),
                    },
                ),
                read(f"{ROOT}/internal/store/pool.go", POOL_GO),
                task(
                    "trace",
                    "explore",
                    "Trace where the pool is opened",
                    PROMPT,
                    REPORT,
                    parent="moved",
                ),
                bash(
                    "ssh db1 ss -ltnp",
                    LISTEN,
                    about="Lists what listens on the database host",
                    ms=1200,
                ),
            ),
        ),
        Step(
            (
                think(
                    "pgbouncer took over the public address on 6432; Postgres moved to loopback."
                ),
                say(
                    "Both of you. Postgres **is** up, but only on `127.0.0.1:5432`; what listens on"
                    " `10.0.0.7` is pgbouncer on port **6432**. And the gateway cannot follow:\n\n"
                    "| where | port |\n|---|---|\n| `config/production.yaml` | 6432 |\n"
                    "| `internal/store/pool.go:13` | 5432, hard-coded |\n\n"
                    "The configuration was right all along, nobody ever read it."
                ),
                question(
                    "Fix",
                    "Read the port from the configuration, or dial 6432 always?",
                    ("Read Config.Port", "Hard-code 6432"),
                    "Read Config.Port",
                ),
            ),
        ),
        Step(
            (
                todos(
                    ("Read Config.Port in store.Open", "in_progress", "high"),
                    ("Fail at start when the port is 0", "pending", "high"),
                    ("Tell the database team they were right", "pending", "low"),
                ),
                edit(
                    f"{ROOT}/internal/store/pool.go",
                    '	dsn := fmt.Sprintf("postgres://%s@%s:%d/%s", cfg.User, cfg.Host, 5432, '
                    "cfg.Name)\n	pc, err := pgxpool.ParseConfig(dsn)\n",
                    '	if cfg.Port == 0 {\n		return nil, errors.New("store: no port configured")'
                    '\n	}\n	dsn := fmt.Sprintf("postgres://%s@%s:%d/%s", cfg.User, cfg.Host, '
                    "cfg.Port, cfg.Name)\n	pc, err := pgxpool.ParseConfig(dsn)\n",
                    13,
                ),
                failed(
                    "edit",
                    {
                        "filePath": f"{ROOT}/internal/store/pool.go",
                        "oldString": 'import (\n    "context"\n    "fmt"',
                        "newString": 'import (\n    "context"\n    "errors"\n    "fmt"',
                    },
                    "Could not find oldString in the file. It must match exactly, including "
                    "whitespace, indentation, and line endings.",
                ),
                edit(
                    f"{ROOT}/internal/store/pool.go",
                    '	"context"\n	"fmt"\n',
                    '	"context"\n	"errors"\n	"fmt"\n',
                    4,
                ),
                bash(
                    "go test ./internal/store -run 'Ready|Health' -v",
                    TESTS_GREEN,
                    about="Runs the readiness tests again",
                    ms=3100,
                ),
            ),
            files=(f"{ROOT}/internal/store/pool.go",),
        ),
        Step(
            (
                todos(
                    ("Read Config.Port in store.Open", "completed", "high"),
                    ("Fail at start when the port is 0", "completed", "high"),
                    ("Tell the database team they were right", "in_progress", "low"),
                ),
                call(
                    "postgres_query",
                    {"connection": "db1", "sql": "select * from settings_before_and_after"},
                    COMPARED,
                    title="postgres_query",
                    ms=210,
                ),
            )
        ),
        Step(
            (
                say(
                    "Green. `listen_addresses` went from `*` to `localhost` in the move, so 5432 "
                    "will stay closed from outside, on purpose. Only the apology is left to you. 🙂"
                ),
            )
        ),
        ask("Done, it cost me a coffee. Commit it with a sensible message please.", after=420),
        Step(
            (
                bash(
                    "git commit -qam 'store: take the port from the configuration' && git log -1 "
                    "--oneline",
                    "4be19c7 store: take the port from the configuration\n",
                    about="Commits the fix",
                    ms=190,
                ),
            ),
        ),
        Step((say("Committed as `4be19c7`. Not pushed."),)),
    ),
)

TALKS = (MOVED,)
