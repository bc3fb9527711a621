"""A rate limiter: a revert that is still pending, and a fork that went another way."""

# ruff: noqa: E501 - what is said stays in one piece

from __future__ import annotations

from store.demo.blocks import ask, attach, say, think
from store.demo.script import Ask, Revert, Step, Talk
from store.demo.tools import apply_patch, bash, edit, glob, multiedit, read, unified, write

ROOT = "/home/mia/src/gateway"
LIMIT_GO = f"{ROOT}/internal/limit/limit.go"

NOTES = """Rate limiting, what we promised customers
- 100 requests a minute per key, bursts of 20 are fine
- answer 429 with Retry-After in whole seconds
- a restart may forget counters, a deploy must not punish anybody
"""

FIXED = """// Allow counts requests per wall-clock minute.
func (l *Limiter) Allow(key string, now time.Time) bool {
	minute := now.Unix() / 60
	if l.minute[key] != minute {
		l.minute[key], l.count[key] = minute, 0
	}
	l.count[key]++
	return l.count[key] <= l.max
}
"""

BUCKET = """// Allow takes one token from the key's bucket, which refills all the time.
func (l *Limiter) Allow(key string, now time.Time) bool {
	b := l.bucket(key, now)
	b.tokens = min(l.burst, b.tokens+now.Sub(b.seen).Seconds()*l.rate)
	b.seen = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
"""

REDIS = """// Package shared keeps buckets in Redis so that all gateways agree.
package shared

const takeToken = `
local t = redis.call('TIME')
local now = tonumber(t[1]) + tonumber(t[2]) / 1e6
local b = redis.call('HMGET', KEYS[1], 'tokens', 'seen')
local tokens = math.min(tonumber(ARGV[2]), (b[1] or ARGV[2]) + (now - (b[2] or now)) * ARGV[1])
if tokens < 1 then return 0 end
redis.call('HSET', KEYS[1], 'tokens', tokens - 1, 'seen', now)
return 1`
"""

BENCH = """goos: linux
goarch: amd64
pkg: gateway/internal/limit
BenchmarkFixed-8    	38215840	        31.2 ns/op	       0 B/op	       0 allocs/op
BenchmarkBucket-8   	29970310	        40.1 ns/op	       0 B/op	       0 allocs/op
PASS
ok  	gateway/internal/limit	2.711s
"""

UNDONE = unified(f"{ROOT}/internal/limit/shared/redis.go", "", REDIS, 1)

BUCKETS = Talk(
    key="buckets",
    title="Rate limiter: token bucket instead of fixed window",
    project="gateway",
    ago=26 * 60,
    slug="silver-delta",
    acts=(
        Ask(
            (
                say(
                    "@docs/limits.md is what we promised. Customers complain that two bursts around "
                    "the full minute get through (200 in two seconds). Fix it properly."
                ),
                *attach(f"{ROOT}/docs/limits.md", "docs/limits.md", NOTES),
            ),
            after=1,
        ),
        Step(
            (
                think(
                    "Classic edge of a fixed window. A token bucket with rate 100/60 and burst 20 "
                    "fits the promise word by word."
                ),
                glob(
                    "internal/limit/**/*.go",
                    ROOT,
                    (LIMIT_GO, f"{ROOT}/internal/limit/limit_test.go"),
                ),
                read(LIMIT_GO, FIXED, 21),
            )
        ),
        Step(
            (
                apply_patch(LIMIT_GO, FIXED, BUCKET, 21),
                multiedit(
                    LIMIT_GO,
                    (
                        (
                            "	minute map[string]int64\n	count  map[string]int\n",
                            "	buckets map[string]*bucket\n	rate    float64\n	burst   float64\n",
                            9,
                        ),
                        ("	max int\n", "", 13),
                    ),
                ),
                write(
                    f"{ROOT}/internal/limit/edge_test.go",
                    "package limit\n\nfunc TestNoDoubleBurst(t *testing.T) {\n	l := New(100.0/60, 20)"
                    '\n	allowed := 0\n	for i := range 200 {\n		if l.Allow("key", '
                    "at(59, i)) {\n			allowed++\n		}\n	}\n	if allowed > 24 {\n"
                    '		t.Fatalf("%d requests in two seconds", allowed)\n	}\n}\n',
                ),
                bash(
                    "go test ./internal/limit -bench . -run Burst",
                    BENCH,
                    about="Tests and measures",
                    ms=6200,
                ),
            ),
            files=(LIMIT_GO, f"{ROOT}/internal/limit/edge_test.go"),
        ),
        Step(
            (
                say(
                    "A token bucket now: 100 a minute, bursts of 20, **no double burst at the edge**. "
                    "It costs 9 ns more per request:\n\n```\nBenchmarkFixed    31.2 ns/op\n"
                    "BenchmarkBucket   40.1 ns/op\n```"
                ),
            )
        ),
        ask(
            "Lovely. We run four gateways though. Could the buckets live in Redis?",
            after=300,
            label="redis",
        ),
        Step(
            (
                think("Possible with a small Lua script. Adds a round trip per request; say so."),
                write(f"{ROOT}/internal/limit/shared/redis.go", REDIS),
            ),
            files=(f"{ROOT}/internal/limit/shared/redis.go",),
        ),
        Step(
            (
                say(
                    "Buckets in Redis, one Lua script, one round trip (about 0.4 ms) per request. If "
                    "Redis is away we let requests pass rather than turn everybody down."
                ),
            )
        ),
        ask("0.4 ms per request is too much for a limiter. Let me think about it.", after=90),
        Step(
            (
                say(
                    "Then the cheap way is a quarter of the rate in each gateway. I can take the Redis "
                    "part out again whenever you say so."
                ),
            )
        ),
        Revert("redis", diff=UNDONE),
    ),
)

QUARTERS = Talk(
    key="quarters",
    title="Rate limiter: token bucket instead of fixed window (fork #1)",
    project="gateway",
    ago=24 * 60,
    slug="silver-fern",
    fork="buckets",
    fork_until="redis",
    acts=(
        ask(
            "Same start, other way: give each of the four gateways a quarter of the rate.", after=20
        ),
        Step(
            (
                edit(
                    f"{ROOT}/cmd/gateway/main.go",
                    "	limiter := limit.New(100.0/60, 20)\n",
                    "	// Four gateways share the promise; a quarter each, the burst in full.\n"
                    "	limiter := limit.New(100.0/60/4, 20)\n",
                    71,
                ),
            ),
            files=(f"{ROOT}/cmd/gateway/main.go",),
        ),
        Step(
            (
                say(
                    "A quarter each. A customer pinned to one gateway would notice, so keep the load "
                    "balancer on round robin."
                ),
            )
        ),
    ),
)

TALKS = (BUCKETS, QUARTERS)
