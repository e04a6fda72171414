"""Google's Gemini."""
import prices as p
import usage as u
from core import case
from openai import COUNTED

GROUNDING = {"webSearchQueries": ["toll roads", "toll prices"], "searchEntryPoint": {"renderedContent": "<div></div>"}, "groundingChunks": []}


def gemini(name, rules, says, used, prices, model="gemini-2.5-flash", wire=None, tier=None, grounding=None, **more):
    """`wire`: the kinds of tokens where the wire names more of them than the bill."""
    usage = more.pop("usage", None) or u.google(**(wire or {k: v for k, v in used.items() if not k.startswith("tool.")}))
    if tier is not None:
        usage = {**usage, "serviceTier": tier}
    answer = {"usageMetadata": usage}
    if grounding is not None:
        answer["candidate"] = {"groundingMetadata": grounding}
    case("google", name, model=model, provider="google", wire="google", rules=rules, says=says, answer=answer, used=used, prices=prices, **more)


def tokens():
    gemini("plain", "T1", "1,000 x 0.3 + 100 x 2.5, per million.", {"input": 1000, "output": 100}, p.FLASH, cost="0.00055")
    gemini("thoughts", "V1", "Thoughts are beside the candidates and cost the output price: 100 x 0.3 + 20 x 2.5 + 300 x 2.5, per million.",
           {"input": 100, "output": 20, "reasoning": 300}, p.FLASH, cost="0.00083")
    gemini("only-thoughts", "V1", "The answer was cut while it thought: there are no candidates' tokens.", {"input": 100, "reasoning": 300}, p.FLASH)
    gemini("cached", "V2", "Cached tokens are within the prompt: 100 x 0.3 + 900 x 0.03 + 10 x 2.5, per million.",
           {"input": 100, "cached_input": 900, "output": 10}, p.FLASH, cost="0.000082")
    gemini("tool-results", "V3", "Results of its own tools are input beside the prompt: 300 x 0.3 + 10 x 2.5, per million.",
           {"input": 300, "output": 10}, p.FLASH, wire={"input": 100, "tool_use": 200, "output": 10}, cost="0.000115")
    gemini("all-four", "V1 V2 V3", "Prompt, cache, tools, candidates and thoughts.", {"input": 650, "cached_input": 350, "output": 40, "reasoning": 60}, p.FLASH,
           wire={"input": 150, "tool_use": 500, "cached_input": 350, "output": 40, "reasoning": 60})
    gemini("audio", "V5", "Audio has its own price: 100 x 0.3 + 500 x 1 + 10 x 2.5, per million.",
           {"input": 100, "audio_input": 500, "output": 10}, p.FLASH, cost="0.000555")
    gemini("audio-cached", "V5 V2", "Cached audio has its own price: 100 x 0.3 + 50 x 1 + 300 x 0.03 + 400 x 0.1 + 10 x 2.5, per million.",
           {"input": 100, "audio_input": 50, "cached_input": 300, "cached_audio_input": 400, "output": 10}, p.FLASH, cost="0.000154")
    gemini("audio-all-cached", "V5 V2", "All of the audio is cached.", {"input": 1, "cached_audio_input": 4000, "output": 2}, p.FLASH)
    gemini("video", "V5", "Video costs what text costs.", {"input": 2700, "output": 10}, p.FLASH, wire={"input": 100, "video": 2600, "output": 10})
    gemini("image", "V5 P1", "Images cost what text costs.", {"input": 100, "image_input": 258, "output": 10}, p.FLASH, wire={"input": 100, "image": 258, "output": 10})
    gemini("audio-without-a-price", "V5 U1", "A model without a price for audio.", {"input": 10, "audio_input": 100, "output": 1}, p.LITE, model="gemini-2.5-flash-lite")
    gemini("made-images", "V6", "1,120 tokens of an image at the image price: 50 x 2 + 30 x 12 + 1,120 x 120, per million.",
           {"input": 50, "output": 30, "image_output": 1120}, p.PRO_IMAGE, model="gemini-3-pro-image", formats=["chat", "responses"], image=True, cost="0.13486")
    gemini("made-images-and-thoughts", "V6 V1", "Text and thoughts at the text price.", {"input": 50, "output": 3, "image_output": 2240, "reasoning": 400}, p.PRO_IMAGE,
           model="gemini-3-pro-image", formats=["chat", "responses"], image=True)
    gemini("traffic-type", "V9", "`trafficType` is no usage.", {"input": 5, "output": 5}, p.FLASH, usage=u.google(input=5, output=5, trafficType="ON_DEMAND"))


def lengths():
    for model, short, long in [("gemini-2.5-pro", p.PRO_25, p.PRO_25_LONG), ("gemini-3-pro", p.PRO_3, p.PRO_3_LONG)]:
        for name, count in [("below", 199_999), ("at", 200_000), ("above", 200_001), ("far-above", 800_000)]:
            prices = short if count <= 200_000 else long
            rule = "all of the call at the higher prices" if prices is long else "the usual prices"
            gemini(f"{model}-context-{name}", "V7 V1", f"A prompt of {count:,} tokens: {rule}.", {"input": count, "output": 10, "reasoning": 90}, prices, model=model)
            gemini(f"{model}-context-{name}-cached", "V7 V2", f"Cached tokens count ({count:,}): {rule}.",
                   {"input": 1000, "cached_input": count - 1000, "output": 10}, prices, model=model)
    gemini("context-by-hand", "V7", "300,000 x 2.5 + 100 x 15, per million.", {"input": 300_000, "output": 100}, p.PRO_25_LONG, model="gemini-2.5-pro", cost="0.7515")
    gemini("context-output-does-not-count", "V7", "Output does not count.", {"input": 150_000, "output": 60_000, "reasoning": 10}, p.PRO_25, model="gemini-2.5-pro")


def search():
    used = {"input": 100, "output": 10}
    gemini("search-prompt", "V8", "Gemini 2.5: one fee for a grounded prompt, whatever the number of queries: 0.000055 + 0.035.",
           {**used, "tool.google_search_prompt": 1}, p.FLASH, grounding=GROUNDING, cost="0.035055")
    gemini("search-queries", "V8", "Gemini 3: a fee for each of the two queries: 100 x 2 + 10 x 12 per million + 2 x 14 per thousand.",
           {**used, "tool.google_search_query": 2}, p.PRO_3, model="gemini-3-pro", grounding=GROUNDING, cost="0.02832")
    gemini("search-one-query", "V8", "One query.", {**used, "tool.google_search_query": 1}, p.PRO_3, model="gemini-3-pro", grounding={**GROUNDING, "webSearchQueries": ["toll"]})
    gemini("search-prompt-pro", "V8", "The fee stays in a long call.", {"input": 250_000, "output": 10, "tool.google_search_prompt": 1}, p.PRO_25_LONG, model="gemini-2.5-pro", grounding=GROUNDING)
    gemini("search-unused", "V8", "Offered and unused is free.", used, p.FLASH, grounding={})
    gemini("search-unused-3", "V8", "The same on Gemini 3.", used, p.PRO_3, model="gemini-3-pro", grounding={})
    gemini("search-without-a-price", "V8 U1", "No price for searches.", {**used, "tool.google_search_prompt": 1}, p.LITE, model="gemini-2.5-flash-lite", grounding=GROUNDING)


def tiers():
    used = {"input": 400, "cached_input": 600, "output": 10, "reasoning": 90}
    gemini("flex", "V9", "Half: 400 x 0.15 + 600 x 0.015 + 100 x 1.25, per million.", used, p.times(p.FLASH, "0.5"), tier="flex", cost="0.000194")
    gemini("priority", "V9", "1.8 times.", used, p.times(p.FLASH, "1.8"), tier="priority")
    gemini("priority-3", "V9", "Twice on another model.", used, p.times(p.PRO_3, 2), model="gemini-3-pro", tier="priority")
    gemini("standard", "V9", "Asked for priority, served and billed as standard.", used, p.FLASH, tier="standard")
    gemini("flex-by-header", "V9", "The tier in `x-gemini-service-tier`.", used, p.times(p.FLASH, "0.5"), headers={"x-gemini-service-tier": "flex"})
    gemini("priority-by-header", "V9", "The tier in `x-gemini-service-tier`.", used, p.times(p.PRO_3, 2), model="gemini-3-pro", headers={"x-gemini-service-tier": "priority"})
    gemini("standard-by-header", "V9", "The usual price.", used, p.FLASH, headers={"x-gemini-service-tier": "standard"})
    gemini("flex-long", "V9 V7", "Half of the long prices.", {"input": 300_000, "output": 10}, p.times(p.PRO_3_LONG, "0.5"), model="gemini-3-pro", tier="flex")
    gemini("flex-audio", "V9 V5", "Half of the price of audio.", {"input": 10, "audio_input": 300, "output": 10}, p.times(p.FLASH, "0.5"), tier="flex")
    gemini("flex-search", "V9 V8", "The fee of a search is on the sheet once.", {**used}, p.times(p.FLASH, "0.5"), tier="flex", grounding={})
    gemini("priority-without-a-price", "V9 U2", "No price for priority.", used, {}, model="gemini-2.5-pro", tier="priority")
    gemini("flex-without-a-price-by-header", "V9 U2", "No price for flex.", used, {}, model="gemini-2.5-flash-lite", headers={"x-gemini-service-tier": "flex"})


def batches():
    def line(name, rules, says, used, prices, **more):
        gemini(f"batch-{name}", rules, says, used, prices, batch=True, formats=["chat"], **more)

    line("plain", "V10", "Half: 1,000 x 0.15 + 100 x 1.25, per million.", {"input": 1000, "output": 100}, p.FLASH_BATCH, cost="0.000275")
    line("cached", "V10 V2", "A cache hit keeps its price: 400 x 0.15 + 600 x 0.03 + 100 x 1.25, per million.",
         {"input": 400, "cached_input": 600, "output": 100}, p.FLASH_BATCH, cost="0.000203")
    line("audio", "V10 V5", "Half of the price of audio, the whole price of cached audio.", {"input": 40, "audio_input": 60, "cached_audio_input": 70, "output": 10, "reasoning": 5}, p.FLASH_BATCH)
    half = p.times(p.PRO_25, "0.5", keep=("cached_input",))
    long = p.times(p.PRO_25_LONG, "0.5", keep=("cached_input",))
    line("long", "V10 V7", "Half of the long prices; cached tokens at the long cached price.", {"input": 200_000, "cached_input": 50_000, "output": 100}, long, model="gemini-2.5-pro")
    line("short", "V10 V7", "Another line of the same batch.", {"input": 100_000, "cached_input": 50_000, "output": 100}, half, model="gemini-2.5-pro")


def rest():
    used = {"input": 100, "output": 20}
    gemini("zero", "P3", "An explicit zero.", {}, p.FLASH, usage={"promptTokenCount": 0, "candidatesTokenCount": 0, "totalTokenCount": 0})
    gemini("no-details", "T1", "No kinds are reported.", used, p.FLASH, usage={"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120})
    gemini("unknown-count", "U1", "A count that we do not know.", used, {}, usage=u.google(**used, dreamTokenCount=4))
    gemini("unknown-zero", "U1", "Zero of what we do not know.", used, p.FLASH, usage=u.google(**used, dreamTokenCount=0))
    counted = dict(used=COUNTED, prices=p.FLASH, estimated=True)
    gemini("missing", "P3", "No usage: 6 x 0.3 + 1 x 2.5, per million.", usage=u.MISSING, cost="0.0000043", **counted)
    gemini("wrong-cached", "P4 P3", "More cached than sent counts as missing.", usage=u.google(**used, cachedContentTokenCount=300), **counted)
    gemini("wrong-negative", "P4 P3", "A negative count of thoughts counts as missing.", usage=u.google(**used, thoughtsTokenCount=-4), **counted)
    last = {"input": 100, "cached_input": 50, "output": 20, "reasoning": 30}
    chunks = [u.google(input=150), u.google(input=100, cached_input=50, reasoning=12), u.google(input=100, cached_input=50, output=5, reasoning=30), u.google(**last)]
    gemini("stream-cumulative", "V4", "Each chunk counts all so far; the last one counts.", last, p.FLASH, streamed=[True], stream={"usages": chunks})
    gemini("stream-only-last", "V4", "Usage in the last chunk alone.", last, p.FLASH, streamed=[True], stream={"usages": [None, u.google(**last)]})
    grounded = {**last, "tool.google_search_query": 2}
    gemini("stream-search", "V4 V8", "The searches come with the last chunk.", grounded, p.PRO_3, model="gemini-3-pro", streamed=[True], grounding=GROUNDING)


def make():
    for part in (tokens, lengths, search, tiers, batches, rest):
        part()
