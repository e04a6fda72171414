"""OpenAI's responses: relayed, and translated for callers of other formats; with hosted tools."""
import prices as p
import usage as u
from core import case
from openai import COUNTED, missing


def responses(name, rules, says, used, prices, model="gpt-6-sol", usage=None, tier=None, output=None, tool_usage=None, **more):
    """Each case runs at OpenAI, where responses are relayed, and as a provider of responses alone, for every format."""
    counts = {k: v for k, v in used.items() if not k.startswith("tool.")}
    answer = {"usage": usage or u.responses(**counts)}
    for key, value in (("service_tier", tier), ("output", output), ("tool_usage", tool_usage)):
        if value is not None:
            answer[key] = value
    twins = [(model, "openai", name), (f"{model}-responses", "openai-responses", f"{name}-translated")]
    for code, provider, called in twins[: 1 if more.get("batch") else 2]:
        case("openai-responses", called, model=code, provider=provider, wire="responses", rules=rules, says=says, answer=answer, used=used, prices=prices, **more)


def search(action="search", **more):
    return {"type": "web_search_call", "id": f"ws_{action}", "status": "completed", "action": {"type": action, "query": "tolls", **more}}


def file_search(place):
    return {"type": "file_search_call", "id": f"fs_{place}", "status": "completed", "queries": ["tolls"], "results": None}


def interpreter(container, place=1):
    return {"type": "code_interpreter_call", "id": f"ci_{place}", "status": "completed", "code": "1", "container_id": container, "outputs": None}


def tokens():
    responses("cached-and-reasoning", "O1 O2", "400 x 2 + 600 x 0.2 + 50 x 10 + 150 x 10, per million.",
              {"input": 400, "cached_input": 600, "output": 50, "reasoning": 150}, p.SOL, cost="0.00292")
    responses("written", "O8", "Tokens written to the cache, without a lifetime.", {"input": 10, "cache_write": 1200, "output": 5}, p.SOL)
    responses("written-for-30-minutes", "O8", "1,000 tokens written for 30 minutes cost 5: 200 x 4 + 1,000 x 5 + 10 x 20, per million.",
              {"input": 200, "cache_write_30m": 1000, "output": 10}, p.SOL_56, model="gpt-5.6-sol", cost="0.006")
    responses("written-for-12-hours", "O8 U1", "No price for 12 hours is published, so the call is unpriced.",
              {"input": 200, "cache_write_12h": 1000, "output": 10}, p.SOL_56, model="gpt-5.6-sol")
    responses("written-for-both", "O8 U1", "One of two lifetimes has no price.",
              {"input": 200, "cache_write_30m": 500, "cache_write_12h": 1000, "output": 10}, p.SOL_56, model="gpt-5.6-sol")
    responses("long", "O7 O8", "All kinds of tokens in a long call.",
              {"input": 100_000, "cached_input": 200_000, "cache_write_30m": 5000, "output": 100, "reasoning": 300}, p.SOL_56_LONG, model="gpt-5.6-sol")
    responses("dated", "T1", "The prices since 2026-08-21 hold, not those before.", {"input": 1000, "output": 100}, p.SOL_56, model="gpt-5.6-sol", cost="0.006")
    for name, count, prices in [("at", 272_000, p.SOL), ("above", 272_001, p.SOL_LONG)]:
        responses(f"context-{name}", "O7", f"{count:,} tokens of input.", {"input": 2000, "cached_input": count - 2000, "output": 10}, prices)


def tiers():
    mixed = {"input": 40, "cached_input": 60, "output": 3, "reasoning": 7}
    responses("flex", "O6", "Half of every token price.", mixed, p.SOL_FLEX, tier="flex")
    responses("priority", "O5", "Twice.", mixed, p.SOL_PRIORITY, tier="priority")
    responses("default", "O5", "The usual price.", mixed, p.SOL, tier="default")
    responses("ultrafast", "O5 U2", "No price for ultrafast.", mixed, {}, tier="ultrafast")
    responses("flex-long", "O6 O7", "Flex halves the long prices.", {"input": 400_000, "output": 7}, p.SOL_LONG_HALF, tier="flex")


def tools():
    used = {"input": 1000, "output": 100}
    three = {**used, "tool.web_search": 3}
    responses("web-search-counted", "O12", "`tool_usage` counts 3 searches: 3 x 10 per thousand beside the tokens: 0.003 + 0.03.",
              three, p.SOL, tool_usage={"web_search": {"num_requests": 3}}, output=[search()], cost="0.033")
    responses("web-search-items", "O12", "Without `tool_usage` each search item counts: 2 x 10 per thousand.",
              {**used, "tool.web_search": 2}, p.SOL, output=[search(), {**search(), "id": "ws_2"}], cost="0.023")
    responses("web-search-open-page", "O12", "Opening a page and looking in it are free.", {**used, "tool.web_search": 1}, p.SOL,
              output=[search(), search("open_page", url="https://example.com"), search("find_in_page", url="https://example.com", pattern="toll")])
    responses("web-search-only-open-page", "O12", "Only a page was opened.", used, p.SOL, output=[search("open_page", url="https://example.com")])
    responses("web-search-counted-zero", "O12 P3", "`tool_usage` says zero, and wins.", used, p.SOL, tool_usage={"web_search": {"num_requests": 0}}, output=[search("open_page", url="https://example.com")])
    responses("web-search-long", "O12 O7", "A long call does not change the fee.", {"input": 300_000, "output": 1, "tool.web_search": 1}, p.SOL_LONG,
              tool_usage={"web_search": {"num_requests": 1}}, output=[search()])
    responses("web-search-without-a-price", "O12 U1", "A search that has no price makes the call unpriced.", {**used, "tool.web_search": 1}, p.GPT_4O, model="gpt-4o", output=[search()])
    responses("file-search", "O13", "One search of files: 0.003 + 0.0025.", {**used, "tool.file_search": 1}, p.SOL, output=[file_search(1)], cost="0.0055")
    responses("file-search-four", "O13", "Four searches of files.", {**used, "tool.file_search": 4}, p.SOL, output=[file_search(n) for n in range(4)])
    responses("file-search-without-a-price", "O13 U1", "No price for it.", {**used, "tool.file_search": 1}, p.GPT_4O, model="gpt-4o", output=[file_search(1)])
    responses("code-interpreter", "O14", "One container: 0.003 + 0.03.", {**used, "tool.code_interpreter": 1}, p.SOL, output=[interpreter("cntr_a")], cost="0.033")
    responses("code-interpreter-one-container", "O14", "Two calls in one container are one fee.", {**used, "tool.code_interpreter": 1}, p.SOL,
              output=[interpreter("cntr_a", 1), interpreter("cntr_a", 2)])
    responses("code-interpreter-two-containers", "O14", "Two containers are two fees.", {**used, "tool.code_interpreter": 2}, p.SOL,
              output=[interpreter("cntr_a", 1), interpreter("cntr_b", 2)])
    responses("code-interpreter-without-a-price", "O14 U1", "The model has no price for containers.", {**used, "tool.code_interpreter": 1}, p.GPT_5, model="gpt-5", output=[interpreter("cntr_a")])
    responses("all-tools", "O12 O13 O14", "Every tool in one call.", {**used, "tool.web_search": 2, "tool.file_search": 3, "tool.code_interpreter": 1}, p.SOL,
              tool_usage={"web_search": {"num_requests": 2}}, output=[search(), *(file_search(n) for n in range(3)), interpreter("cntr_a")])
    responses("functions-are-free", "O11", "A function of the caller's and reasoning items have no fee.", {**used, "reasoning": 20}, p.SOL,
              output=[{"type": "reasoning", "id": "rs_1", "summary": []},
                      {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": "{}", "status": "completed"}])
    image = {"input_tokens": 20, "input_tokens_details": {"image_tokens": 0, "text_tokens": 20}, "output_tokens": 1056, "total_tokens": 1076}
    responses("image-tool", "O15 U1", "The tokens of the image tool are another model's, which this sheet has no price for.", used, {},
              tool_usage={"image_gen": image, "web_search": {"num_requests": 0}})
    none = {"input_tokens": 0, "input_tokens_details": {"image_tokens": 0, "text_tokens": 0}, "output_tokens": 0, "total_tokens": 0}
    responses("image-tool-unused", "O15", "An image tool that was not used is free.", used, p.SOL, tool_usage={"image_gen": none, "web_search": {"num_requests": 0}})


def rest():
    used = {"input": 100, "output": 20}
    responses("zero", "P3", "An explicit zero is a zero.", {}, p.SOL, usage=u.responses())
    responses("unknown-count", "U1", "A count that we do not know.", used, {}, usage=u.responses(**used, output_tokens_details={"reasoning_tokens": 0, "song_tokens": 4}))
    counted = dict(used=COUNTED, prices=p.SOL)
    missing(responses, "missing", "No usage: counted by the gateway.", None, counted)
    missing(responses, "wrong-cached", "More cached than sent counts as missing.", u.responses(**used, input_tokens_details={"cached_tokens": 500, "cache_write_tokens": 0}), counted)
    responses("incomplete", "O4", "`response.incomplete` carries the usage of an answer that was cut.", used, p.SOL, incomplete=True)
    batch = dict(batch=True, formats=["responses"], model="gpt-6-sol")
    responses("batch-plain", "O16", "Half, on the responses endpoint.", {"input": 400, "cached_input": 600, "output": 50, "reasoning": 50}, p.SOL_BATCH, **batch)
    responses("batch-written", "O16 O8", "Written tokens cost half of theirs.", {"input": 400, "cache_write": 600, "output": 50}, p.SOL_BATCH, **batch)


def make():
    for part in (tokens, tiers, tools, rest):
        part()
