"""What secrets and personal data look like in telemetry."""

import re
from datetime import date

__all__ = [
    "CARD",
    "EMAIL",
    "IDENTITY",
    "NAMED_KEY",
    "PHONE",
    "SECRETS",
    "is_card",
    "is_identity",
    "may_hold_secret",
]

_NAMES = (
    r"(?:password|passwd|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|client[_-]?secret"
    r"|private[_-]?key|credentials?|密码|口令|密钥|令牌)"
)
_WORDS = (
    r"(?:is|not|no|was|has|null|none|nil|true|false|empty|missing|required|invalid|incorrect|wrong|expired|failed|denied"
    r"|rejected|unknown|错误|无效|过期|失效|不正确|为空|失败)"
)
"""Words that tell of a secret's state and are none."""

_VALUE = (
    rf"(?i){_NAMES}\\?[\"']?\s*(?:=>?|:|：|是|为|\bis\b)[\s\u3000]*(?!{_WORDS}(?![A-Za-z0-9_.@#$%-]))"
    r"(?:\"([^\"\n<]{1,400})(?=\")|'([^'\n<]{1,400})(?=')|\\\"([^\"\\\n<]{1,400})(?=\\\")|([^\s\"',;&}<>）)，。；\\]{3,}))"
)

_PATTERNS: tuple[tuple[str, str], ...] = (
    ("private-key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}"),
    ("aws-key", r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("github-token", r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
    ("gitlab-token", r"(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{16,}"),
    ("slack-token", r"(?<![A-Za-z0-9])(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,})"),
    ("slack-webhook", r"hooks\.slack\.com/services/([A-Za-z0-9/]{10,})"),
    ("chat-webhook", r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/([A-Za-z0-9-]{16,})"),
    ("chat-webhook", r"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=([A-Za-z0-9-]{16,})"),
    ("stripe-key", r"(?<![A-Za-z0-9])(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}"),
    ("model-key", r"(?<![A-Za-z0-9-])sk-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}"),
    ("google-key", r"(?<![A-Za-z0-9])(?:AIza[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,})"),
    ("aliyun-key", r"(?<![A-Za-z0-9])LTAI[A-Za-z0-9]{12,}"),
    ("tencent-key", r"(?<![A-Za-z0-9])AKID[A-Za-z0-9]{24,}"),
    ("npm-token", r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}"),
    ("pypi-token", r"(?<![A-Za-z0-9])pypi-[A-Za-z0-9_-]{32,}"),
    ("sendgrid-key", r"(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("hub-token", r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}"),
    ("basic-auth", r"://([^\s/:@<>\"'?#]{0,100}:[^\s/<>\"'?#]{1,200})(?=@)"),
    ("url-token", r"://([A-Za-z0-9_.~%-]{8,200})(?=@)"),
    ("authorization", r"\b[Bb](?:earer|EARER)\s+(?=\S*(?:\d|[a-z][A-Z])|\S{20})([A-Za-z0-9._~+/=-]{8,})"),
    ("authorization", r"\b[Bb](?:asic|ASIC)\s+(?=[A-Za-z0-9+/]*(?:[0-9=+/]|[a-z][A-Z]))([A-Za-z0-9+/]{8,}={0,2})"),
    ("authorization", r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?!(?:bearer|basic)\b)(?:\w{1,12}\s+)?([^\s\"',;<>]{8,})"),
    ("cookie", r"(?i)\b(?:set-)?cookie[\"']?\s*:\s*[\"']?([^\s\"'<>][^\"'\n<>]{7,})"),
    ("value", _VALUE),
    ("value", r"(?i)(?<![A-Za-z0-9])(?:[A-Za-z0-9]+_)*pass\s*=\s*[\"']?([^\s\"',;&<>]{3,})"),
    ("value", r"(?i)--?(?:password|passwd|pass|token|secret)(?:\s+|=)(?!-)([^\s\"'<>]{3,})"),
    ("value", r"(?i)identified\s+by\s+'([^'\n<]{1,200})(?=')"),
    ("session", r"(?i)(?<![A-Za-z0-9])(?:jsessionid|sessionid|phpsessid|sig|signature)=([A-Za-z0-9._%+/-]{8,})"),
    ("vault-token", r"(?<![A-Za-z0-9])hv[sb]\.[A-Za-z0-9_-]{20,}"),
)  # fmt: skip

SECRETS = tuple((kind, re.compile(pattern, re.DOTALL | re.ASCII)) for kind, pattern in _PATTERNS)
"""Kind and pattern; where a pattern has groups, the one that matched is the secret."""

NAMED_KEY = re.compile(rf"(?i)(?:.*[_.-])?{_NAMES}|.*(?:password|secret|token|api_?key)")
"""A key of a JSON object whose text is a secret, whatever it looks like."""

EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,5}[A-Za-z]{2,24}(?![A-Za-z0-9-]|\.[A-Za-z0-9])",
    re.ASCII,
)
PHONE = re.compile(
    r"(?<![A-Za-z0-9_.-])(?:\+?86[- ]?)?1(?:3\d|4[5-9]|5[0-35-9]|6[2567]|7[0-8]|8\d|9[0-35-9])"
    r"(?:\d{8}|-\d{4}-\d{4}| \d{4} \d{4})(?![A-Za-z0-9_-]|\.\d| ?(?:[nm]?s|bytes?|[KMG]i?B|B)\b)",
    re.ASCII,
)
IDENTITY = re.compile(r"(?<![A-Za-z0-9_])\d{17}[\dXx](?![A-Za-z0-9_])", re.ASCII)
CARD = re.compile(
    r"(?<![A-Za-z0-9_.-])(?:(?:\d{4}[- ]){3}\d{1,7}|3[47]\d{2}[- ]\d{6}[- ]\d{5}|\d{15,19})(?![A-Za-z0-9_.-])",
    re.ASCII,
)

_TRIGGERS = (
    "pass", "identified", "sessid", "sessionid", "sig=", "signature=", "hvs.", "hvb.", "--token", "--secret",
    "-----begin", "eyj", "akia", "asia", "akid", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox",
    "xapp-", "hooks.slack", "open-apis/bot", "webhook/send", "sk-", "sk_", "rk_", "whsec_", "aiza", "gocspx", "ya29.",
    "ltai", "npm_", "pypi-", "sg.", "hf_", "bearer", "basic", "authorization", "cookie", "@", "password", "passwd", "pwd",
    "passphrase", "secret", "token", "key", "credential", "密码", "口令", "密钥", "令牌",
)  # fmt: skip
_DIGITS = re.compile(r"1[3-9]\d[- ]?\d{4}|\d{15}|\d{4}[- ]\d{4}|3[47]\d\d[- ]\d{6}", re.ASCII)

_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ISSUERS = re.compile(r"4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|62\d{14,17}|35\d{14}|6011\d{12}|65\d{14}")


def may_hold_secret(text: str) -> bool:
    """Whether looking for secrets is worth while: a quick look that never says no wrongly."""
    lowered = text.lower()
    return any(trigger in lowered for trigger in _TRIGGERS) or _DIGITS.search(text) is not None


def is_identity(text: str) -> bool:
    """Whether birth date and check digit are those of a resident identity number (GB 11643).

    Both are asked for, because one in eleven of all 18-digit ids passes the check digit alone.
    """
    try:
        born = date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    total = sum(int(digit) * weight for digit, weight in zip(text[:17], _WEIGHTS, strict=True))
    return 1900 <= born.year <= 2099 and "10X98765432"[total % 11] == text[17].upper()


def is_card(text: str) -> bool:
    """Whether length and first digits are an issuer's and the Luhn check holds (ISO/IEC 7812).

    Both are asked for, because one in ten of all ids and of all timestamps in microseconds passes Luhn alone.
    """
    digits = "".join(character for character in text if character.isdigit())
    if not _ISSUERS.fullmatch(digits):
        return False
    doubled = [
        int(digit) if index % 2 == 0 else sum(divmod(int(digit) * 2, 10))
        for index, digit in enumerate(reversed(digits))
    ]
    return sum(doubled) % 10 == 0
