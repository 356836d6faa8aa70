"""How providers differ behind one protocol: what each of them takes, as data.

Sources: the providers' API references as read in 2026 (DeepSeek "JSON mode" and "Thinking mode", DashScope "Structured
output", Zhipu "chat/completions", Moonshot "chat", vLLM "Structured outputs", Ollama "OpenAI compatibility").
"""

from types import MappingProxyType
from typing import Literal

from pydantic import Field

from engine.base import Frozen, JsonObject

__all__ = ["PROFILES", "Mode", "OutputField", "Profile", "ProfileName"]

ProfileName = Literal["openai", "azure", "deepseek", "qwen", "glm", "moonshot", "vllm", "ollama", "custom"]

Mode = Literal["json_schema", "json_object", "prompt"]
"""How a reply is held to its contract: by the endpoint, by the endpoint as any JSON, or by words alone."""

OutputField = Literal["max_tokens", "max_completion_tokens"]


class Profile(Frozen):
    """What one provider takes, and what is assumed of its models where the configuration is silent."""

    name: ProfileName
    base_url: str | None = None
    """None where each customer has an address of their own."""
    modes: tuple[Mode, ...] = ("json_schema", "json_object", "prompt")
    """Ways to ask for a contract, best first; one that an endpoint refuses is left out from then on."""
    output_field: OutputField = "max_tokens"
    takes_temperature: bool = True
    takes_tool_choice: bool = True
    """Whether `tool_choice: "none"` may be sent; nothing else is ever asked for, because forcing is widely refused."""
    without_thinking: JsonObject = Field(default_factory=dict)
    """Further fields that switch thinking off, where it is on and at odds with structured output."""
    keeps_reasoning: bool = False
    """Whether `reasoning_content` must come back with the tool calls that it led to."""
    needs_key: bool = True
    context_tokens: int = 128_000
    max_output_tokens: int = 16_000


_ANY_JSON: tuple[Mode, ...] = ("json_object", "prompt")

_ALL = (
    Profile(name="openai", base_url="https://api.openai.com/v1", output_field="max_completion_tokens"),
    Profile(name="azure", output_field="max_completion_tokens"),
    Profile(
        name="deepseek",
        base_url="https://api.deepseek.com",
        modes=_ANY_JSON,
        without_thinking={"thinking": {"type": "disabled"}},
        keeps_reasoning=True,
        max_output_tokens=8_000,
    ),
    Profile(
        name="qwen",
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        modes=_ANY_JSON,
        without_thinking={"enable_thinking": False},
        max_output_tokens=8_000,
    ),
    Profile(
        name="glm",
        base_url="https://open.bigmodel.cn/api/paas/v4",
        modes=_ANY_JSON,
        takes_tool_choice=False,
        without_thinking={"thinking": {"type": "disabled"}},
        max_output_tokens=8_000,
    ),
    Profile(
        name="moonshot",
        base_url="https://api.moonshot.cn/v1",
        modes=_ANY_JSON,
        output_field="max_completion_tokens",
        takes_temperature=False,
        keeps_reasoning=True,
    ),
    Profile(
        name="vllm",
        base_url="http://127.0.0.1:8000/v1",
        needs_key=False,
        context_tokens=32_768,
        max_output_tokens=4_096,
    ),
    Profile(
        name="ollama",
        base_url="http://127.0.0.1:11434/v1",
        needs_key=False,
        context_tokens=32_768,
        max_output_tokens=4_096,
    ),
    Profile(name="custom", context_tokens=32_768, max_output_tokens=4_096),
)

PROFILES: MappingProxyType[ProfileName, Profile] = MappingProxyType({profile.name: profile for profile in _ALL})
"""Every provider that is known by name."""
