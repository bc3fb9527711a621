"""A test that fails one time in forty: a long output, a cut one with its file, a compaction."""

# ruff: noqa: E501 - what is said stays in one piece

from __future__ import annotations

from random import Random

from store.demo.blocks import ask, compaction, say, think
from store.demo.script import Step, Talk
from store.demo.tools import bash, bash_cut, edit, shell

ROOT = "/home/mia/src/gateway"
RUNS = 3000

_WORDS = ("dial", "retry", "backoff", "close", "probe", "drain", "accept", "route")


def _access_log(lines: int) -> str:
    """What `journalctl -u gateway` printed: one line per request, three of them odd."""
    random = Random(40)
    odd = {
        1207: 'level=error msg="upstream reset" request=7f3a attempt=3 err="connection refused"',
        1988: 'level=warn msg="retry budget spent" request=7f3a after=3 marker=odd-one-out',
        2741: 'level=error msg="deadline exceeded" request=c0de after=2.000s',
    }
    rows = []
    for number in range(1, lines + 1):
        minute, second = divmod(number // 3, 60)
        head = f"Nov 12 03:{minute % 60:02d}:{second:02d} gw2 gateway[811]:"
        word = random.choice(_WORDS)
        usual = (
            f"level=info msg={word} request={random.getrandbits(16):04x} ms={random.randint(1, 90)}"
        )
        rows.append(f"{head} {odd.get(number, usual)}")
    return "\n".join(rows) + "\n"


def _stress(runs: int) -> str:
    """What `go test -count` printed, one line per run."""
    rows = [f"--- PASS: TestRetryBackoff/{run} (0.0{run % 9}s)" for run in range(1, runs + 1)]
    rows[2039] = (
        "--- FAIL: TestRetryBackoff/2040 (0.31s)\n    retry_test.go:88: slept 301ms, want <= 300ms"
    )
    return (
        "\n".join([*rows, "FAIL", "exit status 1", "FAIL	gateway/internal/retry	118.402s"])
        + "\n"
    )


FLAKY = Talk(
    key="flaky",
    title="Flaky TestRetryBackoff",
    project="gateway",
    ago=3 * 24 * 60,
    slug="nervous-falcon",
    acts=(
        ask("TestRetryBackoff fails about one time in forty on CI, never here. Ideas?", after=1),
        Step(
            (
                think(
                    "Timing with an upper bound that equals the sleep itself. Provoke it under load."
                ),
                bash_cut(
                    f"go test ./internal/retry -run Backoff -count {RUNS} -v",
                    _stress(RUNS),
                    120,
                    exit=1,
                    about="Runs the test three thousand times",
                ),
            )
        ),
        Step(
            (
                say(
                    "It happens here too, once in 3,000: `slept 301ms, want <= 300ms`. The bound is the"
                    " sleep itself, so any hiccup of the scheduler breaks it."
                ),
            )
        ),
        *shell("journalctl -u gateway --since 03:00 --no-pager", _access_log(3000), after=95),
        ask("There is the same request id three times in that log. Related?", after=40),
        Step(
            (
                think(
                    "7f3a at 1207 and 1988. Retries go on for 3 attempts, then the budget is spent. "
                    "Not the test, a real one."
                ),
                say(
                    "Not to the test. `7f3a` is a client whose upstream was gone (`connection refused`),"
                    " retried three times as configured, then given up. That is the retry working."
                ),
            )
        ),
        *compaction(
            "## Goal\nMake TestRetryBackoff stable without hiding a real regression.\n\n"
            "## Found\n- the bound equals the sleep: 300 ms slept, 300 ms allowed\n"
            "- request 7f3a in the log is a real client and unrelated\n\n"
            "## Next\n- use a fake clock in retry_test.go",
            auto=True,
        ),
        ask("Yes, a fake clock please.", after=60),
        Step(
            (
                edit(
                    f"{ROOT}/internal/retry/retry_test.go",
                    "	start := time.Now()\n	err := Do(ctx, op)\n	slept := time.Since(start)\n",
                    "	clock := newFakeClock()\n	err := Do(ctx, op, WithClock(clock))\n"
                    "	slept := clock.Slept()\n",
                    81,
                ),
                bash(
                    "go test ./internal/retry -run Backoff -count 3000",
                    "ok  	gateway/internal/retry	0.214s\n",
                    about="Runs it again",
                    ms=2400,
                ),
            ),
            files=(f"{ROOT}/internal/retry/retry_test.go",),
        ),
        Step((say("3,000 runs in 0.2 seconds instead of two minutes, none failed."),)),
    ),
)

TALKS = (FLAKY,)
