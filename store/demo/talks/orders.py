"""An order service in Chinese: a connection pool that ran dry, and garbled exports."""

# ruff: noqa: E501 - what is said stays in one piece

from __future__ import annotations

from store.demo.blocks import ask, image, mention, say, subtask, synthetic, think
from store.demo.script import Ask, Drop, Rewrite, Step, Talk
from store.demo.tools import bash, edit, failed, grep, listing, read, task, todos

ROOT = "/home/mia/src/order-service"
POOL = f"{ROOT}/app/db/pool.py"

ERRORS = """2026-11-28 09:14:02 ERROR app.api.orders 创建订单失败: 连接池已耗尽，等待 30.0 秒后超时
  File "app/db/pool.py", line 41, in acquire
sqlalchemy.exc.TimeoutError: QueuePool limit of size 10 overflow 5 reached, connection timed out
2026-11-28 09:14:02 ERROR app.api.orders 创建订单失败: 连接池已耗尽，等待 30.0 秒后超时
2026-11-28 09:14:05 WARNING app.jobs.export 导出任务 #8841 已运行 1,204 秒，仍持有 1 个连接
"""

ACQUIRE = '''def acquire(self):
    """从连接池取一个连接，用完请调用 release。"""
    conn = self._pool.connect()
    self._out.add(conn)
    return conn
'''

SCOPED = '''@contextmanager
def acquire(self):
    """从连接池取一个连接；离开 with 块时一定归还。"""
    conn = self._pool.connect()
    try:
        yield conn
    finally:
        conn.close()
'''

SLOW = """ calls | mean_ms | query
-------+---------+------------------------------------------------
   412 |  1840.2 | SELECT * FROM orders WHERE created_at > $1 ORDER BY id
  9120 |     2.1 | SELECT id FROM users WHERE token = $1
(2 rows)
"""

POOLED = Talk(
    key="pool",
    title="连接池耗尽排查",
    project="orders",
    ago=6 * 60,
    slug="calm-bamboo",
    acts=(
        ask(
            "早上九点以后下单接口大量超时，日志里全是“连接池已耗尽”。帮我查一下是谁没有归还连接。",
            after=1,
        ),
        Step(
            (
                think(
                    "先看日志里超时前后谁持有连接，再看 pool.py 的 acquire 有没有对应的 release。"
                ),
                say("先看日志，再找没有归还连接的调用方。"),
                bash(
                    "tail -n 400 /var/log/orders/app.log | grep -E 'ERROR|WARNING'",
                    ERRORS,
                    about="查看最近的错误",
                    ms=180,
                ),
                grep(
                    r"\.acquire\(",
                    ROOT,
                    {
                        f"{ROOT}/app/api/orders.py": (
                            (63, "    conn = pool.acquire()  # 在 finally 里归还"),
                        ),
                        f"{ROOT}/app/jobs/export.py": ((29, "    conn = pool.acquire()"),),
                    },
                ),
                read(POOL, ACQUIRE, 38),
            )
        ),
        Step(
            (
                say(
                    "找到了：`app/jobs/export.py:29` 取了连接却从不归还，导出任务跑二十分钟就占用一个连接，"
                    "十个任务之后连接池就空了。\n\n建议让 `acquire` 变成上下文管理器，忘记归还就不可能了。"
                ),
                todos(
                    ("把 acquire 改成上下文管理器", "in_progress", "high"),
                    ("修改两个调用方", "pending", "high"),
                    ("补一个泄漏测试 🧪", "pending", "medium"),
                ),
                edit(POOL, ACQUIRE, SCOPED, 38),
                failed(
                    "bash",
                    {"command": "docker compose restart orders", "description": "重启服务"},
                    "The user rejected permission to use this specific tool call with the following "
                    "feedback: 白天不要重启，等晚上发布",
                ),
            ),
            files=(POOL,),
        ),
        ask(
            "好。晚上发布时再重启。顺便统计一下慢查询。",
            mention("general", 10),
            synthetic(
                " Use the above message and context to generate a prompt and call the task "
                "tool with subagent: general"
            ),
            after=260,
        ),
        Step(
            (
                task(
                    "slow",
                    "general",
                    "统计慢查询",
                    "用 pg_stat_statements 统计最慢的两条查询，给出平均耗时。",
                    "最慢的是 orders 按 created_at 的全表排序，平均 1840 ms，缺少索引。",
                    parent="pool",
                ),
            )
        ),
        Step(
            (
                say(
                    "最慢的一条是按 `created_at` 排序的全表扫描，平均 **1840 ms**，缺索引。连接池的问题修好后，"
                    "这条也值得处理：`CREATE INDEX CONCURRENTLY ON orders (created_at)`。"
                ),
            )
        ),
    ),
)

SLOW_QUERIES = Talk(
    key="slow",
    title="统计慢查询 (@general subagent)",
    project="orders",
    ago=6 * 60 - 5,
    slug="calm-heron",
    agent="general",
    parent="pool",
    acts=(
        ask("用 pg_stat_statements 统计最慢的两条查询，给出平均耗时。", after=0),
        Step((bash("psql orders -f slow.sql", SLOW, about="统计慢查询", ms=2100),)),
        Step((say("最慢的是 orders 按 created_at 的全表排序，平均 1840 ms，缺少索引。"),)),
    ),
)

GARBLED = Talk(
    key="csv",
    title="订单导出 CSV 在 Excel 里乱码",
    project="orders",
    ago=9 * 24 * 60,
    slug="paper-crane",
    acts=(
        ask(
            "客户发来截图：导出的 CSV 用 Excel 打开中文全是乱码，数字正常。",
            image("乱码截图.png", 48, 32, (20, 55, 90, 40, 70)),
            after=1,
        ),
        Step(
            (
                think("典型的没有 BOM 的 UTF-8。Excel 在中文 Windows 上按 GBK 解释。"),
                listing(f"{ROOT}/app/export", "  csv_writer.py\n  excel.py\n  __init__.py\n"),
                edit(
                    f"{ROOT}/app/export/csv_writer.py",
                    '    stream = open(path, "w", encoding="utf-8")\n',
                    '    stream = open(path, "w", encoding="utf-8-sig", newline="")\n',
                    17,
                ),
            ),
            files=(f"{ROOT}/app/export/csv_writer.py",),
        ),
        Step(
            (
                say(
                    "原因是文件没有 BOM，Excel 就按 GBK 来读。现在用 `utf-8-sig` 写出，内容不变。",
                    label="reason",
                ),
            )
        ),
        ask("内部备注：客户是青山物流，合同号 QS-2291，这条等会儿删掉。", after=70, label="secret"),
        Step((say("好的，删掉之前我不会在别处引用它。"),), label="promise"),
        ask("另外导出的文件名也要带日期。", after=30),
        Step(
            (
                say("可以，例如 `orders-2026-11-20.csv`。", label="name"),
                say("旧的文件名也保留一周，免得脚本找不到。", label="draft"),
            )
        ),
        Rewrite("name", "可以，文件名为 `订单-2026-11-20.csv`，日期用当地时间。"),
        Drop("draft"),
        Drop("promise"),
        Drop("secret"),
    ),
)

NIGHTLY = Talk(
    key="nightly",
    title="/nightly 汇总昨晚的任务",
    project="orders",
    ago=33 * 60,
    slug="moon-rabbit",
    acts=(
        Ask(
            (
                subtask(
                    "general",
                    "汇总昨晚的任务",
                    "汇总昨晚所有定时任务的结果，只列失败的。",
                    "nightly",
                ),
            ),
            after=30,
        ),
        Step(
            (
                task(
                    "nightly-sub",
                    "general",
                    "汇总昨晚的任务",
                    "汇总昨晚所有定时任务的结果，只列失败的。",
                    "十二个任务，失败一个：export_daily（等待连接池超时）。",
                    parent="nightly",
                    command="nightly",
                ),
            ),
            framed=False,
        ),
        Ask(
            (synthetic("Summarize the task tool output above and continue with your task."),),
            after=2,
        ),
        Step(
            (
                say(
                    "昨晚十二个任务，只有 `export_daily` 失败：等待连接池超时，可以重跑。最近第二次了。"
                ),
            )
        ),
    ),
)

NIGHTLY_SUB = Talk(
    key="nightly-sub",
    title="汇总昨晚的任务 (@general subagent)",
    project="orders",
    ago=33 * 60 - 1,
    slug="moon-lily",
    agent="general",
    parent="nightly",
    acts=(
        ask("汇总昨晚所有定时任务的结果，只列失败的。", after=0),
        Step(
            (
                bash(
                    "systemctl list-units --failed 'orders-*'",
                    "● orders-export_daily.service  loaded failed failed  每日导出\n",
                    about="列出失败的任务",
                ),
            )
        ),
        Step((say("十二个任务，失败一个：export_daily（等待连接池超时）。"),)),
    ),
)

TALKS = (POOLED, SLOW_QUERIES, GARBLED, NIGHTLY, NIGHTLY_SUB)
