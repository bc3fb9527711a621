"""A sub-agent that reads code for the talk about the moved database."""

from __future__ import annotations

from store.demo.blocks import say
from store.demo.script import Ask, Step, Talk
from store.demo.tools import grep, read

ROOT = "/home/mia/src/gateway"
REPORT = (
    "Three callers: cmd/gateway/main.go:58 (production.yaml), cmd/migrate/main.go:22 (flags only) "
    "and internal/store/pool_test.go:17. None passes a port; the field Config.Port exists and is "
    "never read."
)
PROMPT = (
    "Find every caller of store.Open and say which config each of them passes. "
    "Do not change anything."
)

TRACE = Talk(
    key="trace",
    title="Trace where the pool is opened (@explore subagent)",
    project="gateway",
    ago=37,
    slug="patient-otter",
    agent="explore",
    parent="moved",
    acts=(
        Ask(
            (say(PROMPT),),
            after=0,
        ),
        Step(
            (
                grep(
                    r"store\.Open\(",
                    ROOT,
                    {
                        f"{ROOT}/cmd/gateway/main.go": (
                            (58, "	pool, err := store.Open(ctx, cfg.Store)"),
                        ),
                        f"{ROOT}/cmd/migrate/main.go": (
                            (22, "	pool, err := store.Open(ctx, fromFlags())"),
                        ),
                        f"{ROOT}/internal/store/pool_test.go": (
                            (17, "	pool, err := store.Open(t.Context(), testConfig(t))"),
                        ),
                    },
                ),
                read(
                    f"{ROOT}/cmd/migrate/main.go",
                    "	pool, err := store.Open(ctx, fromFlags())\n"
                    '	if err != nil {\n		log.Fatalf("migrate: %v", err)\n	}\n',
                    22,
                ),
            ),
        ),
        Step((say(REPORT),)),
    ),
)

TALKS = (TRACE,)
