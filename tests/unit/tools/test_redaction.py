"""Secrets and personal data in telemetry."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base import JsonValue
from engine.tools.redaction import Redactor
from engine.tools.secret_patterns import may_hold_secret

REDACTOR = Redactor(b"k" * 32)

SECRETS = [
    ("aws-key", "key {} used", "AKIA" + "ABCDEFGHIJ234567"),
    ("github-token", "clone with {}", "ghp_" + "a1" * 18),
    ("github-token", "{}", "github_pat_" + "a1" * 20),
    ("gitlab-token", "{} refused", "glpat-" + "a1b2c3d4e5f6g7h8"),
    ("slack-token", "{}", "xoxb-" + "1234567890-abcdef"),
    ("slack-token", "{}", "xapp-" + "1-A1234567890-abc"),
    ("slack-webhook", "POST https://hooks.slack.com/services/{}", "T000/B000/" + "abcdef123456"),
    ("chat-webhook", "https://open.feishu.cn/open-apis/bot/v2/hook/{}", "0a1b2c3d-" + "1111-2222-3333-444455556666"),
    ("chat-webhook", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={}", "0a1b2c3d-1111-2222-3333-444455556666"),
    ("stripe-key", "{}", "sk_live_" + "a1b2c3d4e5f6"),
    ("model-key", "401 for {}", "sk-" + "proj-a1b2c3d4e5f6g7"),
    ("google-key", "{}", "AIza" + "a1B2" * 9),
    ("google-key", "{}", "ya29." + "a1B2" * 9),
    ("aliyun-key", "id {}", "LTAI" + "5tAbCdEfGhIj"),
    ("tencent-key", "id {}", "AKID" + "a1B2" * 8),
    ("npm-token", "{}", "npm_" + "a1B2" * 9),
    ("pypi-token", "{}", "pypi-" + "AgEIcHlwaS5vcmc" * 3),
    ("sendgrid-key", "{}", "SG." + "a1B2" * 5 + "." + "c3D4" * 6),
    ("hub-token", "{}", "hf_" + "a1B2" * 9),
    ("jwt", "cookie jwt {}", "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0" + ".c2lnbmF0dXJl"),
    ("private-key", "{}", "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----"),
    ("private-key", "{}", "-----BEGIN PRIVATE KEY-----\nMIIabc and then cut"),
    ("basic-auth", "postgres://{}@order-db:5432/orders", "app:s3cr3t"),
    ("basic-auth", "redis://{}@cache:6379", ":pa55word"),
    ("basic-auth", "amqp://{}@mq", "app:p@ss"),
    ("url-token", "https://{}@git.example.com/x.git", "0123456789abcdef"),
    ("authorization", "Authorization: Bearer {}", "abc123.def456-ghi"),
    ("authorization", "Authorization: Basic {}", "dXNlcjpwYXNzd29yZA=="),
    ("authorization", "authorization={}", "opaque-value-1"),
    ("cookie", "Set-Cookie: {}", "sid=abcdef1234; Path=/"),
    ("value", "password={}", "hunter2"),
    ("value", "PASSWORD : '{}'", "two words"),
    ("value", 'db_password: "{}"', "with space and, comma"),
    ("value", '{{"client_secret":"{}"}}', "abc/def"),
    ("value", '{{\\"passwd\\":\\"{}\\"}}', "abc/def"),
    ("value", "api_key => {}", "abcdef"),
    ("value", "GET /x?access_token={}&a=1", "abcdef"),
    ("value", "AccountKey={};EndpointSuffix=x", "abc+def=="),
    ("value", "密码：{}，请重试", "hunter2"),
    ("value", "口令是{}", "abc123"),
    ("value", "token is {}", "abc123"),
    ("value", "token={}", "token1"),
]


@pytest.mark.parametrize(("kind", "text", "secret"), SECRETS)
def test_each_kind_of_secret_becomes_its_placeholder(kind: str, text: str, secret: str) -> None:
    """The secret goes, its kind is told, and what stands around it stays."""
    clean = REDACTOR.redact(text.format(secret))
    before, after = text.format("\0").split("\0")
    assert re.fullmatch(re.escape(before) + f"<SECRET:{kind}:[0-9a-f]{{4}}>" + re.escape(after), clean)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("mail to li.lei+ops@example.com.cn now", r"mail to <EMAIL:\w{4}> now"),
        ("手机号13812345678。", r"手机号<PHONE:\w{4}>。"),
        ("call +86 138 1234 5678", r"call <PHONE:\w{4}>"),
        ("tel 138-1234-5678", r"tel <PHONE:\w{4}>"),
        ('{"mobile":"19912345678"}', r'{"mobile":"<PHONE:\w{4}>"}'),
        ("身份证110101199003070011已用", r"身份证<ID:\w{4}>已用"),
        ("card 4111 1111 1111 1111", r"card <CARD:\w{4}>"),
        ("card 378282246310005", r"card <CARD:\w{4}>"),
        ("卡号6222021234567890128", r"卡号<CARD:\w{4}>"),
    ],
)
def test_personal_data_becomes_its_placeholder(text: str, clean: str) -> None:
    """E-mail addresses, Chinese mobile numbers, identity numbers and cards go, beside Chinese text, too."""
    assert re.fullmatch(clean.replace("{", r"\{", 1) if clean.startswith("{") else clean, REDACTOR.redact(text))


@pytest.mark.parametrize(
    "text",
    [
        "2026-12-01T14:00:00.123+08:00 took 15234567890 ns, 4096 bytes",
        "elapsed_ns=15234567890 used_bytes=13958643712 offset:18012345678",
        "timestamp 1764561234567 ms, 1764561234567890 us, 1764561234567890123 ns",
        "trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7 abc13812345678def",
        "uuid 0a1b2c3d-1381-2345-8678-138123456789",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "order 202612011234567890, snowflake 1764561234567890123, sequence 110101199013070011",
        "ssh root@10.0.0.1 refused; git@github; lodash@4.17.21; com.foo.Bar@1b2c3d",
        "http://order-db.prod.svc:5432/x?a=b and payment-service-7d9f8b6c5-x2x4z",
        "HTTP 503 at 10.0.0.1:8080, error code E1381, pool 20/20, 93.5%",
        "token is invalid, password required, secret: missing, token expired, 密码错误, 令牌为空",
        "basic authentication failed; bearer authentication required; max_tokens=4096 tokens: 12",
        "task-runner sk-learn desk-service ask-me",
        "card-like 1234 5678 9012 3456 and 4111111111111112",
    ],
)
def test_what_checks_need_stays(text: str) -> None:
    """Numbers, durations, hosts, ids, hashes, times and words about secrets are left as they are."""
    assert REDACTOR.redact(text) == text


def test_same_secret_same_placeholder() -> None:
    """One process gives one secret one placeholder wherever it stands; another process gives another."""
    first, second = REDACTOR.redact("password=hunter2"), REDACTOR.redact("用 password: hunter2 登录")
    assert first.removeprefix("password=") in second
    assert REDACTOR.redact("password=hunter3") != first
    assert Redactor().redact("password=hunter2") != Redactor().redact("password=hunter2")


def test_json_is_redacted_deep_and_by_key() -> None:
    """Keys, nested texts and whatever stands under a key that names a secret; other values stay."""
    clean = REDACTOR.redact_json(
        {"labels": {"db_password": "x y", "apiKey": "k"}, "a@b.com": [1, None, True, {"t": "token=abc"}], "n": 0.5}
    )
    mark = r"<SECRET:value:\w{4}>"
    assert re.fullmatch(
        rf"{{'labels': {{'db_password': '{mark}', 'apiKey': '{mark}'}}, "
        rf"'<EMAIL:\w{{4}}>': \[1, None, True, {{'t': 'token={mark}'}}\], 'n': 0.5}}",
        str(clean),
    )


def test_names_of_services_are_kept() -> None:
    """A service that is called like an e-mail address is still that service."""
    named = Redactor(known_names=["worker@example.com"])
    assert named.redact_json({"service": "worker@example.com"}) == {"service": "worker@example.com"}


_PIECES = st.sampled_from(
    [
        *("password", "token", "密码", "是", "=", ":", " ", '"', "'", "<", ">", "-", "_", "x", "1", "@", "\n", "\\"),
        *("://", "user:pw@", "Bearer ", "cookie: ", "authorization: ", "<SECRET:value:12ab>", "SECRET"),
        *(secret for _, _, secret in SECRETS),
        *("13812345678", "4111111111111111", "110101199003070011", "a@b.com"),
    ]
)
TEXTS = st.one_of(st.lists(_PIECES, max_size=10).map("".join), st.text())


@given(TEXTS)
def test_redacting_twice_changes_nothing(text: str) -> None:
    """What is redacted once is clean, and placeholders are never redacted themselves."""
    clean = REDACTOR.redact(text)
    assert REDACTOR.redact(clean) == clean
    assert "<SECRET:<SECRET" not in clean.replace(text, "")


@given(TEXTS)
def test_the_quick_look_never_says_no_wrongly(text: str) -> None:
    """A text that is not worth looking at holds nothing: it stays the same beside something that is."""
    if not may_hold_secret(text):
        assert REDACTOR.redact(f"a@b.com\n{text}").partition("\n")[2] == text


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
        max_leaves=8,
    )
)
def test_json_keeps_its_idempotence(value: JsonValue) -> None:
    """Redacting any JSON value twice is redacting it once."""
    clean = REDACTOR.redact_json(value)
    assert REDACTOR.redact_json(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASS=s3cretpw", "pass=s3cretpw", "mysql --password hunter2x", "IDENTIFIED BY 'hunter2x'",
        "Cookie JSESSIONID=ABCDEF0123456789", "https://x/y?sig=AbC123xyz987", "hvs.CAESIJabcdefghij0123456789",
    ],
)  # fmt: skip
def test_secrets_of_command_lines_and_sessions_go(text: str) -> None:
    """Passwords after a flag or in a short key, session ids, signatures and vault tokens are replaced."""
    found = Redactor().redact(text)
    assert "<SECRET:" in found
    assert not any(word in found for word in ("s3cretpw", "hunter2x", "ABCDEF0123456789", "AbC123xyz987", "CAESIJ"))
