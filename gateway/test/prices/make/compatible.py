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


def deepseek_hours():
    """Peak hours are 01:00 to 04:00 and 06:00 to 10:00 UTC from Monday to Friday, without public holidays of China; the V3
    models cost less from 16:30 to 00:30 UTC. The moment at which a call starts counts."""
    used = {"input": 100, "cached_input": 900, "output": 50}
    usage = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050, "prompt_cache_hit_tokens": 900, "prompt_cache_miss_tokens": 100}

    def timed(model, name, says, at, prices, **more):
        server("deepseek-hours", model, name, "D2", says, used, prices, usage=usage, at=at, stream={"usage_with": "finish"}, **more)

    def pro(name, says, at, peak, **more):
        timed("deepseek-v4-pro", name, says, at, p.DEEPSEEK_PRO_PEAK if peak else p.DEEPSEEK_PRO, **more)

    def v3(name, says, at, night, **more):
        timed("deepseek-chat", name, says, at, p.DEEPSEEK_V3_NIGHT if night else p.DEEPSEEK_V3, **more)

    pro("before-morning", "Just before the morning peak: 100 x 0.66 + 900 x 0.022 + 50 x 1.98, per million.", "2026-11-16T00:59:59.999Z", False, cost="0.0001848")
    pro("morning-begins", "Its first millisecond costs twice as much: 100 x 1.32 + 900 x 0.044 + 50 x 3.96, per million.", "2026-11-16T01:00:00.000Z", True, cost="0.0003696")
    pro("morning-ends", "Its last millisecond.", "2026-11-16T03:59:59.999Z", True)
    pro("after-morning", "The end is not part of it.", "2026-11-16T04:00:00.000Z", False)
    pro("before-afternoon", "Just before the afternoon peak.", "2026-11-16T05:59:59.999Z", False)
    pro("afternoon-begins", "Its first millisecond.", "2026-11-16T06:00:00.000Z", True)
    pro("afternoon-ends", "Its last millisecond.", "2026-11-16T09:59:59.999Z", True)
    pro("after-afternoon", "The end is not part of it.", "2026-11-16T10:00:00.000Z", False)
    pro("friday", "Friday is a weekday.", "2026-11-20T09:59:59.999Z", True)
    pro("saturday", "No peak at weekends.", "2026-11-21T01:00:00.000Z", False)
    pro("sunday", "No peak at weekends.", "2026-11-22T09:59:59.999Z", False)
    pro("next-monday", "The week begins again.", "2026-11-23T01:00:00.000Z", True)
    pro("holiday", "No peak on a public holiday, though it is a Friday.", "2027-01-01T02:00:00.000Z", False)
    v3("before-night", "Just before the night: 100 x 0.27 + 900 x 0.07 + 50 x 1.1, per million.", "2026-11-16T16:29:59.999Z", False, cost="0.000145")
    v3("night-begins", "Half: 100 x 0.135 + 900 x 0.035 + 50 x 0.55, per million.", "2026-11-16T16:30:00.000Z", True, cost="0.0000725")
    v3("before-midnight", "The last millisecond of the day.", "2026-11-16T23:59:59.999Z", True)
    v3("midnight", "The night goes on after midnight.", "2026-11-17T00:00:00.000Z", True)
    v3("night-ends", "Its last millisecond.", "2026-11-17T00:29:59.999Z", True)
    v3("after-night", "The end is not part of it.", "2026-11-17T00:30:00.000Z", False)


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
    for part in (xai, deepseek, deepseek_hours, groq, mistral, openrouter):
        part()
