"""The signal catalog: what a metric's name means, in which unit, and which way is worse. Data, with fallbacks."""

import re

from engine.system import SignalInfo, Worse

__all__ = ["signal_info"]

_TITLES: tuple[tuple[str, str, Worse], ...] = (
    (r"error|fail|5xx|timeouts?_rate|rejected", "错误", "up"),
    (r"availability|success", "可用性", "down"),
    (r"frontend_latency", "入口延迟", "up"),
    (r"client_latency", "下游连接延迟", "up"),
    (r"latency|duration|response_time", "延迟", "up"),
    (r"node_cpu", "节点 CPU 使用率", "up"),
    (r"(?i)mem(ory)?_?(available|free)", "可用内存", "down"),
    (r"node_mem\w*_ratio", "节点内存使用率", "up"),
    (r"cpu", "CPU 使用率", "up"),
    (r"(^|_)(mem|memory|heap|rss)(_|$)", "内存", "up"),
    (r"cache_hit|hit_ratio", "缓存命中率", "down"),
    (r"db_pool_in_use|connections_in_use", "在用连接数", "up"),
    (r"db_pool_usage", "连接池使用率", "up"),
    (r"db_pool_waiting|pool_waiting", "等待连接的请求数", "up"),
    (r"db_pool_size|pool_size", "连接池大小", "either"),
    (r"queue|(^|_)lag(_|$)|backlog|pending|waiting", "积压", "up"),
    (r"network_receive", "网络接收流量", "either"),
    (r"network_transmit", "网络发送流量", "either"),
    (r"request|(^|_)[qr]ps(_|$)|traffic", "请求量", "either"),
    (r"restart", "重启次数", "up"),
    (r"syscall_read", "读系统调用", "either"),
    (r"syscall_write", "写系统调用", "either"),
    (r"disk|filesystem", "磁盘", "up"),
    (r"^up$", "实例存活", "down"),
)

_EXACT: dict[str, tuple[str, str, Worse]] = {
    "http_error_ratio": ("错误率", "ratio", "up"),
    "http_request_rate": ("请求速率", "requests_per_second", "either"),
    "db_pool_timeouts_rate": ("取连接超时速率", "per_second", "up"),
    "cpu_usage_cores": ("CPU 用量", "cores", "up"),
    "memory_usage_ratio": ("内存使用率", "ratio", "up"),
    "memory_usage_bytes": ("内存用量", "bytes", "up"),
    "process_memory_bytes": ("进程内存", "bytes", "up"),
    "up": ("实例存活", "count", "down"),
}

_SUFFIXES: tuple[tuple[str, str], ...] = (
    ("_bytes_per_second", "bytes_per_second"),
    ("_per_second", "requests_per_second"),
    ("_ratio", "ratio"),
    ("_percent", "percent"),
    ("_seconds", "seconds"),
    ("_milliseconds", "milliseconds"),
    ("_bytes", "bytes"),
    ("_rate", "per_second"),
    ("in_use", "connections"),
    ("pool_size", "connections"),
)

_QUANTILE = re.compile(r"_(p\d{2,3}|average|mean)_?")


def signal_info(name: str, unit: str = "", help_text: str = "") -> SignalInfo:
    """What is known of a signal; names that the catalog does not hold get it from their form.

    Args:
        name: the metric's name.
        unit: its `# UNIT`, where given.
        help_text: its `# HELP`, where given; stands in for a title.
    """
    if name in _EXACT:
        title, own_unit, worse = _EXACT[name]
        return SignalInfo(name=name, title=title, unit=own_unit, worse=worse)
    title, worse = _meaning(name, help_text)
    quantile = _QUANTILE.search(f"{name}_")
    if quantile:
        title = f"{title} {quantile.group(1).upper() if quantile.group(1).startswith('p') else '均值'}"
    found = unit or next((unit for suffix, unit in _SUFFIXES if name.endswith(suffix)), "")
    return SignalInfo(name=name, title=title, unit=found or "count", worse=worse)


def _meaning(name: str, help_text: str) -> tuple[str, Worse]:
    for pattern, title, worse in _TITLES:
        if re.search(pattern, name):
            return title, worse
    return help_text[:40] or name, "either"
