"""Refund tests in Chinese: what a committed revert took away is in the event log only."""

from __future__ import annotations

from store.demo.blocks import ask, say, think
from store.demo.script import Revert, Step, Talk
from store.demo.tools import bash, edit, write

ROOT = "/home/mia/src/order-service"
MOCKED = '''def test_refund_twice(monkeypatch):
    """整个支付网关都被替换掉了。"""
    monkeypatch.setattr("app.pay.gateway", FakeGateway())
    assert refund("A-1001") == "ok"
    assert refund("A-1001") == "ok"
'''
REAL = '''def test_refund_twice(gateway):
    """同一笔订单退两次款，第二次必须拒绝。"""
    assert refund("A-1001", gateway).status == "已退款"
    with pytest.raises(AlreadyRefunded):
        refund("A-1001", gateway)
'''

REFUNDS = Talk(
    key="refunds",
    title="给退款接口补测试",
    project="orders",
    ago=2 * 24 * 60,
    slug="golden-carp",
    acts=(
        ask("退款接口没有测试，上周有一笔订单被退了两次。补上测试。", after=1),
        Step(
            (
                think("先写能重现重复退款的测试。"),
                bash("ls tests/refund 2>/dev/null | wc -l", "0\n", about="看看有没有旧测试", ms=40),
            )
        ),
        Step((say("还没有任何退款测试，我从“重复退款”写起。"),)),
        ask("先随便写一个，能过就行。", after=50, label="hasty"),
        Step(
            (
                think("他想快，但把网关整个换掉的测试什么也证明不了。"),
                write(f"{ROOT}/tests/refund/test_refund.py", MOCKED),
            ),
            files=(f"{ROOT}/tests/refund/test_refund.py",),
        ),
        Step(
            (
                say(
                    "写好了，测试通过；不过它把支付网关整个替换掉了，证明不了什么。仙人掌也能通过这个测试。🌵"
                ),
            )
        ),
        Revert("hasty"),
        ask("撤销刚才的，按真实流程写：第二次退款必须被拒绝。", after=35),
        Step(
            (
                write(f"{ROOT}/tests/refund/test_refund.py", REAL),
                bash(
                    "pytest -q tests/refund",
                    "F\n_ test_refund_twice _\nE   Failed: DID NOT RAISE "
                    "AlreadyRefunded\n1 failed in 0.41s\n",
                    exit=1,
                    about="运行测试",
                    ms=900,
                ),
            ),
            files=(f"{ROOT}/tests/refund/test_refund.py",),
        ),
        Step((say("测试失败了，这正是我们要的：它重现了重复退款。"),)),
        ask("修吧。", after=25),
        Step(
            (
                edit(
                    f"{ROOT}/app/pay/refund.py",
                    "    order = session.get(Order, order_id)\n",
                    "    order = session.get(Order, order_id, with_for_update=True)\n"
                    '    if order.status == "已退款":\n'
                    "        raise AlreadyRefunded(order_id)\n",
                    52,
                ),
                bash("pytest -q tests/refund", ".\n1 passed in 0.38s\n", about="运行测试", ms=800),
            ),
            files=(f"{ROOT}/app/pay/refund.py",),
        ),
        Step((say("在退款前锁住订单行并检查状态，第二次得到 `AlreadyRefunded`。测试通过。✅"),)),
    ),
)

TALKS = (REFUNDS,)
