"""Messages that are no question: they get the help text and start no run (reading.md 13)."""

import re
import unicodedata

__all__ = ["HELP_ZH", "is_greeting"]

_WORDS = (
    r"你好|您好|hi|hello|hey|嗨|哈喽|在吗|在么|早|早上好|上午好|下午好|晚上好|早安|晚安|谢谢|谢谢你|多谢|感谢|辛苦了|thanks|"
    r"thank you|thx|ok|okay|好的|好|收到|明白|知道了|了解|再见|拜拜|bye|help|帮助|怎么用|怎么使用|使用说明|你是谁|你能做什么|"
    r"你会什么|能做什么|ping|test|测试"
)
_GREETING = re.compile(rf"(?:(?:{_WORDS})[\s,，.。!！?？~～、]*)+")

HELP_ZH = """我根据监控证据诊断线上问题，只把证据支持的内容说成已确认。可以这样问：
· payment-service 为什么报错？
· 昨天 14:00 到 14:30 下单变慢，根因在哪里？
· payment-service 的错误率是多少？
· payment-service 有没有告警？
写明服务名和时间段，回答会更准。"""


def is_greeting(text: str) -> bool:
    """Whether a message is a greeting, thanks or a call for help, and nothing else."""
    folded = unicodedata.normalize("NFKC", text).strip().lower()
    return len(folded) <= 60 and bool(_GREETING.fullmatch(folded))
