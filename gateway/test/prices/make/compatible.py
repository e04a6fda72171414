"""Servers that speak OpenAI's chat protocol in their own way: xAI, DeepSeek, Groq, Mistral, OpenRouter."""
import prices as p
import usage as u
from core import case
from openai import COUNTED


def server(folder, model, name, rules, says, used, prices, usage=None, **more):
    case(folder, name, model=model, provider="compatible", wire="chat", rules=rules, says=says,
         answer={"usage": usage or u.chat(**used), **more.pop("answer", {})}, used=used, prices=prices, **more)


def xai():
    def grok(name, rules, says, used, prices=p.GROK, **more):
        server("xai", "grok-4.6", name, rules, says, used, prices, usage=more.pop("usage", u.chat(**used, beside=True)), **more)

    grok("reasoning-beside", "X1", "300 reasoning tokens stand beside 100 completion tokens; the total shows it: 1,000 x 2 + 400 x 6, per million.",
         {"input": 1000, "output": 100, "reasoning": 300}, cost="0.0044")
    grok("more-reasoning-than-completion", "X1", "Beside, so there may be more of it than of the completion.", {"input": 32, "output": 9, "reasoning": 4321})
    grok("no-reasoning", "X1", "Without reasoning the total is prompt and completion.", {"input": 32, "output": 9})
    grok("cached", "X1 X2", "Cached tokens are within the prompt: 400 x 2 + 600 x 0.5 + 20 x 6, per million.",
         {"input": 400, "cached_input": 600, "output": 10, "reasoning": 10}, cost="0.00122")
    grok("only-reasoning", "X1", "The answer was cut while it reasoned.", {"input": 10, "reasoning": 50})
    grok("long", "X3 X1", "Above 200,000 all tokens cost twice as much.", {"input": 150_000, "cached_input": 100_000, "output": 10, "reasoning": 90}, p.GROK_LONG)
    grok("below-long", "X3", "199,000 is short.", {"input": 199_000, "output": 10, "reasoning": 90})
    grok("zero", "P3", "An explicit zero.", {})


def deepseek():
    def seek(name, rules, says, used, usage, prices=p.DEEPSEEK, **more):
        server("deepseek", "deepseek-v4-flash", name, rules, says, used, prices, usage=usage, **more)

    def hit(hits, misses, out, reasoning=0, **more):
        usage = {"prompt_tokens": hits + misses, "completion_tokens": out, "total_tokens": hits + misses + out,
                 "prompt_cache_hit_tokens": hits, "prompt_cache_miss_tokens": misses}
        if reasoning:
            usage["completion_tokens_details"] = {"reasoning_tokens": reasoning}
        return {**usage, **more}

    finish = {"stream": {"usage_with": "finish"}}
    seek("hits", "D1", "900 of 1,000 prompt tokens hit the cache: 100 x 0.22 + 900 x 0.007 + 50 x 0.66, per million.",
         {"input": 100, "cached_input": 900, "output": 50}, hit(900, 100, 50), cost="0.0000613", **finish)
    seek("no-hits", "D1", "Nothing in the cache.", {"input": 1000, "output": 50}, hit(0, 1000, 50), **finish)
    seek("all-hits", "D1", "The whole prompt was in the cache.", {"cached_input": 4096, "output": 1}, hit(4096, 0, 1), **finish)
    seek("reasoning", "D1", "Reasoning is within the completion.", {"input": 10, "cached_input": 64, "output": 30, "reasoning": 70}, hit(64, 10, 100, 70), **finish)
    seek("hits-reported-twice", "D1", "`prompt_tokens_details` has the same hits: they are counted once.",
         {"input": 100, "cached_input": 900, "output": 50}, hit(900, 100, 50, prompt_tokens_details={"cached_tokens": 900}), **finish)
    seek("more-hits-than-prompt", "P4 P3", "More hits than prompt tokens count as missing.", COUNTED, {**hit(10, 5, 5), "prompt_cache_hit_tokens": 99}, estimated=True, **finish)


def groq():
    times = {"queue_time": 0.037493756, "prompt_time": 0.000680594, "completion_time": 0.463333333, "total_time": 0.464013927}

    def fast(name, rules, says, used, prices=p.GROQ, **more):
        server("groq", "groq-gpt-oss-120b", name, rules, says, used, prices, usage=u.chat(**used) | times, **more)

    fast("plain", "G1", "The times in its usage are no tokens: 1,000 x 0.15 + 100 x 0.6, per million.", {"input": 1000, "output": 100}, cost="0.00021")
    fast("cached", "G1", "Cached tokens cost half.", {"input": 100, "cached_input": 900, "output": 10, "reasoning": 40})
    fast("on-demand", "G1", "`on_demand` is its default tier.", {"input": 100, "output": 10}, answer={"service_tier": "on_demand"})
    fast("flex-without-a-price", "U2", "A tier without a price.", {"input": 100, "output": 10}, {}, answer={"service_tier": "flex"})
    fast("batch", "G1", "Half in a batch: 1,000 x 0.075 + 100 x 0.3, per million.", {"input": 1000, "output": 100}, p.times(p.GROQ, "0.5"), batch=True, formats=["chat"], cost="0.000105")


def mistral():
    finish = {"stream": {"usage_with": "finish"}}
    for name, used in [("plain", {"input": 1000, "output": 100}), ("large", {"input": 123_456, "output": 7890}), ("one", {"input": 1, "output": 1})]:
        total = used["input"] + used["output"]
        usage = {"prompt_tokens": used["input"], "completion_tokens": used["output"], "total_tokens": total}
        server("mistral", "mistral-large", name, "M1", "Input and output, nothing else; the usage of a stream comes with the finish.", used, p.MISTRAL, usage=usage, **finish)
    server("mistral", "mistral-large", "missing", "P3", "No usage: counted by the gateway.", COUNTED, p.MISTRAL, usage=u.MISSING, estimated=True)


def openrouter():
    def routed(name, rules, says, used, **more):
        server("openrouter", "openrouter-claude", name, rules, says, used, more.pop("prices", p.OPENROUTER), **more)

    routed("cached-and-written", "R1", "Both are within the prompt: 100 x 3 + 500 x 0.3 + 400 x 3.75 + 10 x 15, per million.",
           {"input": 100, "cached_input": 500, "cache_write": 400, "output": 10}, cost="0.0021")
    used = {"input": 200, "cached_input": 50, "output": 30, "reasoning": 12}
    routed("its-own-bill", "R1", "`cost` is OpenRouter's own bill, not something that was used.", used,
           usage=u.chat(**used) | {"cost": 0.00123, "is_byok": False, "cost_details": {"upstream_inference_cost": None}})
    routed("plain", "R1", "Nothing cached.", {"input": 2000, "output": 300})


def make():
    for part in (xai, deepseek, groq, mistral, openrouter):
        part()
