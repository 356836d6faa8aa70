"""What a metric's name says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sources.signals import signal_info


@pytest.mark.parametrize(
    ("name", "title", "unit", "worse"),
    [
        ("http_error_ratio", "错误率", "ratio", "up"),
        ("http_request_rate", "请求速率", "requests_per_second", "either"),
        ("http_latency_p95_seconds", "延迟 P95", "seconds", "up"),
        ("latency_average_seconds", "延迟 均值", "seconds", "up"),
        ("db_pool_usage_ratio", "连接池使用率", "ratio", "up"),
        ("db_pool_in_use", "在用连接数", "connections", "up"),
        ("db_pool_timeouts_rate", "取连接超时速率", "per_second", "up"),
        ("process_cpu_usage_ratio", "CPU 使用率", "ratio", "up"),
        ("process_memory_bytes", "进程内存", "bytes", "up"),
        ("node_memory_usage_ratio", "节点内存使用率", "ratio", "up"),
        ("node_memory_MemAvailable_bytes", "可用内存", "bytes", "down"),
        ("availability_ratio", "可用性", "ratio", "down"),
        ("cache_hit_ratio", "缓存命中率", "ratio", "down"),
        ("kafka_consumer_lag", "积压", "count", "up"),
        ("up", "实例存活", "count", "down"),
        ("feature_flag", "feature_flag", "count", "either"),
        ("member_count", "member_count", "count", "either"),
        ("corps", "corps", "count", "either"),
    ],
)
def test_names_and_forms_of_names(name: str, title: str, unit: str, worse: str) -> None:
    """Catalogued names and usual forms of names have title, unit and the direction that is worse."""
    info = signal_info(name)
    assert (info.title, info.unit, info.worse) == (title, unit, worse)


def test_the_file_speaks_where_the_catalog_is_silent() -> None:
    """`# UNIT` and `# HELP` describe a name that the catalog does not know."""
    info = signal_info("widgets", "furlongs", "Widgets in flight")
    assert (info.title, info.unit, info.worse) == ("Widgets in flight", "furlongs", "either")


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=300))
def test_every_name_has_a_meaning(name: str, unit: str, help_text: str) -> None:
    """Any texts give a signal of that name with a unit and a bounded title."""
    info = signal_info(name, unit, help_text)
    assert info.name == name
    assert info.unit
    assert len(info.title) <= max(80, len(name) + 20)
