"""OpenAI: chat completions, and the same on Azure."""
import prices as p
import usage as u
from core import case

# A prompt of the runner and the one-word answer, as the gateway counts them itself (o200k_base).
COUNTED = {"input": 6, "output": 1}


def chat(name, rules, says, used, prices, model="gpt-6-sol", predicted=None, usage=None, tier=None, **more):
    counts = {k: v for k, v in used.items() if not k.startswith("tool.")}
    answer = {"usage": usage or u.chat(**counts, predicted=predicted)}
    if tier is not None:
        answer["service_tier"] = tier
    case("openai-chat", name, model=model, provider="openai", wire="chat", rules=rules, says=says, answer=answer, used=used, prices=prices, **more)


def tokens():
    chat("plain", "T1", "1,000 x 2 + 500 x 10, per million: 0.002 + 0.005.", {"input": 1000, "output": 500}, p.SOL, cost="0.007")
    chat("cached", "O1 T1", "600 of 1,000 prompt tokens are cached: 400 x 2 + 600 x 0.2 + 50 x 10, per million.",
         {"input": 400, "cached_input": 600, "output": 50}, p.SOL, cost="0.00142")
    chat("reasoning", "O2 T1", "80 of 100 completion tokens are reasoning and cost the output price once: 10 x 2 + 20 x 10 + 80 x 10, per million.",
         {"input": 10, "output": 20, "reasoning": 80}, p.SOL, cost="0.00102")
    chat("cache-write", "O8 T1", "300 tokens of the prompt are written to the cache for 2.5: 700 x 2 + 300 x 2.5 + 10 x 10, per million.",
         {"input": 700, "cache_write": 300, "output": 10}, p.SOL, cost="0.00225")
    chat("cache-write-before-5.6", "O8 P1", "Before GPT-5.6 writing costs nothing extra: the 300 tokens cost the input price.",
         {"input": 700, "cache_write": 300, "output": 10}, p.GPT_54, model="gpt-5.4", cost="0.00265")
    chat("everything", "O1 O2 O8 P2", "Cached, written, reasoning and text in one call, each with its own price.",
         {"input": 1234, "cached_input": 5678, "cache_write": 910, "output": 111, "reasoning": 222}, p.SOL)
    chat("all-cached", "O1", "The whole prompt is cached.", {"cached_input": 2048, "output": 7}, p.SOL)
    chat("all-reasoning", "O2", "The whole completion is reasoning.", {"input": 64, "reasoning": 512}, p.SOL)
    chat("one-token", "T1", "One token in, one token out: 0.000002 + 0.00001.", {"input": 1, "output": 1}, p.SOL, cost="0.000012")
    chat("no-output", "T1", "Only the prompt is charged.", {"input": 999}, p.SOL)
    chat("million", "T1", "A million output tokens cost the price itself.", {"input": 100_000, "output": 1_000_000}, p.GPT_4O, model="gpt-4o", cost="10.25")
    for i, (plain, cached, out, thought) in enumerate([(17, 128, 3, 0), (1, 1, 1, 1), (4096, 12_288, 777, 1024), (99_999, 1, 0, 31), (3, 65_536, 2, 2)]):
        chat(f"gpt-5-mix-{i + 1}", "O1 O2 T1", "Cached prompt and reasoning with the prices of another model.",
             {"input": plain, "cached_input": cached, "output": out, "reasoning": thought}, p.GPT_5, model="gpt-5")
    chat("predictions", "O3", "Accepted (30) and rejected (20) prediction tokens are within the 100 completion tokens and cost nothing extra.",
         {"input": 200, "output": 100}, p.GPT_4O, model="gpt-4o", predicted=(30, 20), cost="0.0015")
    chat("predictions-and-reasoning", "O2 O3", "Predictions and reasoning are both within the completion.",
         {"input": 10, "output": 60, "reasoning": 40}, p.SOL, predicted=(10, 50))
    chat("two-choices", "T1", "One usage for all choices of the call.", {"input": 20, "output": 80}, p.GPT_41, model="gpt-4.1")


def kinds():
    chat("audio-in", "O9", "100 of 150 prompt tokens are audio: 50 x 2.5 + 100 x 40 + 20 x 10, per million.",
         {"input": 50, "audio_input": 100, "output": 20}, p.GPT_4O_AUDIO, model="gpt-4o-audio", cost="0.004325")
    chat("audio-out", "O9", "60 of 80 completion tokens are audio: 50 x 2.5 + 20 x 10 + 60 x 80, per million.",
         {"input": 50, "output": 20, "audio_output": 60}, p.GPT_4O_AUDIO, model="gpt-4o-audio", cost="0.005125")
    chat("audio-both", "O9", "Audio in and out beside text.", {"input": 321, "audio_input": 654, "output": 98, "audio_output": 765}, p.GPT_4O_AUDIO, model="gpt-4o-audio")
    chat("audio-only", "O9", "Nothing but audio.", {"audio_input": 500, "audio_output": 900}, p.GPT_4O_AUDIO, model="gpt-4o-audio")
    chat("audio-without-a-price", "O9 U1", "The model has no price for audio, and text is no stand-in.", {"input": 10, "audio_input": 5, "output": 5}, p.GPT_4O, model="gpt-4o")
    chat("audio-answer-without-a-price", "O9 U1", "Audio in the answer has no price.", {"input": 10, "output": 5, "audio_output": 5}, p.GPT_4O, model="gpt-4o")
    chat("images-priced-as-text", "O10 P1", "765 image tokens without a price of their own cost the input price.", {"input": 35, "image_input": 765, "output": 20}, p.GPT_4O, model="gpt-4o")
    chat("images-priced-apart", "O10", "Image tokens cost 5, text 4: 100 x 4 + 800 x 5 + 10 x 16, per million.",
         {"input": 100, "image_input": 800, "output": 10}, p.MULTIMODAL, model="multimodal-chat", cost="0.00456")
    chat("text-image-and-audio", "O9 O10", "Three kinds of input and two of output.",
         {"input": 11, "image_input": 22, "audio_input": 33, "output": 44, "audio_output": 55}, p.MULTIMODAL, model="multimodal-chat")
    chat("no-price-at-all", "U1", "A model without prices is unpriced.", {"input": 10, "output": 5}, {}, model="unpriced")


def lengths():
    for name, count, long in [("below", 271_999, False), ("at", 272_000, False), ("above", 272_001, True), ("far-above", 900_000, True)]:
        says = "above 272,000 all tokens of the call cost the long prices" if long else "up to 272,000 tokens the short prices hold"
        prices = p.SOL_LONG if long else p.SOL
        chat(f"context-{name}", "O7", f"A prompt of {count:,} tokens: {says}.", {"input": count, "output": 1000}, prices,
             cost={"above": "1.103004", "at": "0.554"}.get(name))
        chat(f"context-{name}-cached", "O7 O1", f"Cached tokens count towards the {count:,}: {says}.",
             {"input": count - 200_000, "cached_input": 200_000, "output": 10, "reasoning": 20}, prices)
        chat(f"context-{name}-written", "O7 O8", f"Written tokens count as well: {says}.",
             {"input": 1000, "cache_write": count - 1000, "output": 10}, prices)
    chat("context-output-does-not-count", "O7", "271,000 in and 100,000 out are no long prompt.", {"input": 271_000, "output": 100_000}, p.SOL)
    chat("context-above-by-amounts", "O7", "The sheet states the long prices as amounts: 300,000 x 5 + 10 x 22.5, per million.",
         {"input": 300_000, "output": 10}, p.GPT_54_LONG, model="gpt-5.4", cost="1.500225")
    chat("context-below-by-amounts", "O7", "A short call of the same model.", {"input": 200_000, "cached_input": 50_000, "output": 10}, p.GPT_54, model="gpt-5.4")
    chat("context-cached-by-amounts", "O7 O1", "Long prices for cached tokens.", {"input": 100_000, "cached_input": 250_000, "output": 10, "reasoning": 5}, p.GPT_54_LONG, model="gpt-5.4")
    chat("context-without-tiers", "T1", "A model without a long price has one price.", {"input": 900_000, "output": 1}, p.GPT_5, model="gpt-5")


def tiers():
    mixed = {"input": 400, "cached_input": 600, "output": 30, "reasoning": 70}
    chat("flex", "O6 T1", "Flex is half: 400 x 1 + 600 x 0.1 + 100 x 5, per million.", mixed, p.SOL_FLEX, tier="flex", cost="0.00096")
    chat("priority", "O5", "Priority costs twice as much.", mixed, p.SOL_PRIORITY, tier="priority", cost="0.00384")
    chat("flex-by-amounts", "O6", "Flex prices as amounts; cached input is cheaper in it too.", mixed, p.GPT_5_FLEX, model="gpt-5", tier="flex")
    chat("priority-by-amounts", "O5", "Priority prices as amounts.", mixed, p.GPT_5_PRIORITY, model="gpt-5", tier="priority")
    chat("priority-gpt-4.1", "O5", "Priority is 1.75 times the price here.", {"input": 400, "cached_input": 600, "output": 30}, p.GPT_41_PRIORITY, model="gpt-4.1", tier="priority", cost="0.002345")
    chat("flex-cache-write", "O6 O8", "Written tokens are half in flex, too.", {"input": 10, "cache_write": 1000, "output": 1}, p.SOL_FLEX, tier="flex")
    chat("flex-long", "O6 O7", "Flex halves the long prices.", {"input": 300_000, "output": 100}, p.SOL_LONG_HALF, tier="flex", cost="0.60075")
    chat("flex-long-by-amounts", "O6 O7", "Flex halves the long amounts.", {"input": 300_000, "output": 100}, p.times(p.GPT_54_LONG, "0.5"), model="gpt-5.4", tier="flex")
    for tier in ("default", "auto"):
        chat(f"tier-{tier}", "O5", f"`{tier}` is the usual price.", mixed, p.SOL, tier=tier)
    chat("tier-null", "O5", "No tier in the answer: the usual price.", mixed, p.SOL, usage=u.chat(**mixed), tier=None)
    chat("asked-priority-served-default", "O5", "The tier of the answer decides: asked for priority, served and billed as default.",
         mixed, p.SOL, tier="default", request={"service_tier": "priority"}, formats=["chat"])
    chat("asked-default-served-flex", "O5", "The tier of the answer decides, whatever was asked for.", mixed, p.SOL_FLEX, tier="flex", request={"service_tier": "auto"}, formats=["chat"])
    none = dict(used=mixed, prices={})
    chat("flex-without-a-price", "U2", "The model has no price for flex.", none["used"], none["prices"], model="gpt-4.1", tier="flex")
    chat("ultrafast-without-a-price", "O5 U2", "No price for ultrafast.", none["used"], none["prices"], tier="ultrafast")
    chat("priority-without-a-price", "O5 U2", "No price for priority.", none["used"], none["prices"], model="gpt-4o", tier="priority")
    chat("unknown-tier", "U2", "A tier that nobody knows has no price.", none["used"], none["prices"], tier="turbo")


def batches():
    def line(name, rules, says, used, prices, **more):
        chat(f"batch-{name}", rules, says, used, prices, batch=True, formats=["chat"], **more)

    line("plain", "O16", "Half: 1,000 x 1 + 500 x 5, per million.", {"input": 1000, "output": 500}, p.SOL_BATCH, cost="0.0035")
    line("cached", "O16 O1", "A cached token costs half of its cached price: 400 x 1 + 600 x 0.1 + 50 x 5, per million.",
         {"input": 400, "cached_input": 600, "output": 50}, p.SOL_BATCH, cost="0.00071")
    line("written", "O16 O8", "Written tokens cost half of theirs: 1.25.", {"input": 100, "cache_write": 900, "output": 50}, p.SOL_BATCH)
    line("reasoning", "O16 O2", "Reasoning at half the output price.", {"input": 100, "output": 5, "reasoning": 95}, p.SOL_BATCH)
    line("long", "O16 O7", "Each line has its own length; half of the long prices.", {"input": 300_000, "output": 100}, p.SOL_LONG_HALF, cost="0.60075")
    line("at-the-threshold", "O16 O7", "272,000 is not above.", {"input": 272_000, "output": 100}, p.SOL_BATCH)
    line("zero", "O16 P3", "An explicit zero is a zero.", {}, p.SOL_BATCH, usage=u.chat(), lines=[])
    line("own-plain", "O16", "The same, run in our workers.", {"input": 2000, "cached_input": 100, "output": 10}, p.times(p.GPT_5, "0.5"), model="gpt-5")
    line("own-long", "O16 O7", "Half of the long amounts.", {"input": 280_000, "cached_input": 1000, "output": 10}, p.times(p.GPT_54_LONG, "0.5"), model="gpt-5.4")
    line("own-short", "O16 O7", "A short line of the same batch.", {"input": 28, "cached_input": 1000, "output": 10, "reasoning": 4}, p.times(p.GPT_54, "0.5"), model="gpt-5.4")
    line("short-form", "O16", "`batch_input` and `batch_output`: 1,000 x 1 + 100 x 4, per million.", {"input": 1000, "output": 100}, p.GPT_41_BATCH, model="gpt-4.1", cost="0.0014")
    line("short-form-reasoning", "O16 O2", "Reasoning costs `batch_output`.", {"input": 10, "output": 1, "reasoning": 99}, p.GPT_41_BATCH, model="gpt-4.1")
    line("failed", "P5", "A line that failed costs nothing.", {}, p.SOL_BATCH, lines=[], status=400, usage=u.chat(input=1000, output=5))
    line("unknown-usage", "U1 O16", "Unknown usage keeps the batch from being settled.", {"input": 1, "output": 1}, {}, model="gpt-5",
         usage=u.chat(input=1, output=1, prompt_tokens_details={"cached_tokens": 0, "video_tokens": 3}))


def oddities():
    used = {"input": 100, "output": 20}
    chat("zero", "P3", "An explicit zero is a zero, and costs exactly zero.", {}, p.SOL, usage=u.chat())
    chat("zero-minimal", "P3", "The same without details.", {}, p.SOL, usage={"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0})
    chat("no-details", "T1", "Older servers report no details.", used, p.SOL, usage={"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120})
    chat("null-details", "T1", "Details that are null are no details.", used, p.SOL,
         usage={"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "prompt_tokens_details": None, "completion_tokens_details": None})
    chat("null-counts-in-details", "T1", "A count that is null was not used.", used, p.SOL,
         usage=u.chat(**used, prompt_tokens_details={"cached_tokens": None, "audio_tokens": None}))
    chat("text-tokens", "T1", "`text_tokens` are the rest, not something else.", {"input": 60, "image_input": 40, "output": 20}, p.GPT_4O, model="gpt-4o",
         usage=u.chat(input=60, image_input=40, output=20, prompt_tokens_details={"cached_tokens": 0, "text_tokens": 60, "image_tokens": 40},
                      completion_tokens_details={"reasoning_tokens": 0, "text_tokens": 20}))
    chat("unknown-zero", "U1", "A count that we do not know and that is zero changes nothing.", used, p.SOL,
         usage=u.chat(**used, prompt_tokens_details={"cached_tokens": 0, "video_tokens": 0}))
    chat("unknown-text", "U1", "A text that we do not know is no usage.", used, p.SOL, usage=u.chat(**used, note="estimate", region=None))
    chat("unknown-count", "U1", "A count that we do not know makes the call unpriced, never cheaper.", used, {},
         usage=u.chat(**used, prompt_tokens_details={"cached_tokens": 0, "video_tokens": 12}))
    chat("unknown-count-at-the-top", "U1", "Beside the counts that we know.", used, {}, usage=u.chat(**used, cube_tokens=5))
    chat("unknown-count-in-the-output", "U1", "Among the details of the completion.", used, {},
         usage=u.chat(**used, completion_tokens_details={"reasoning_tokens": 0, "song_tokens": 7}))
    counted = dict(used=COUNTED, prices=p.SOL)
    missing(chat, "missing", "No usage at all: the gateway counts 6 tokens in and 1 out: 6 x 2 + 1 x 10, per million.", None, counted, cost="0.000022")
    wrong = u.chat(**used)
    bad = {
        "negative": ({**wrong, "prompt_tokens": -5}, "A negative count"),
        "fractional": ({**wrong, "completion_tokens": 12.75}, "A fraction of a token"),
        "text": ({**wrong, "prompt_tokens": "100"}, "A count in quotes"),
        "absurd": ({**wrong, "completion_tokens": 10**30}, "An absurd count"),
        "null": ({**wrong, "completion_tokens": None}, "A missing half"),
        "more-cached-than-sent": ({**wrong, "prompt_tokens_details": {"cached_tokens": 101}}, "More cached than sent"),
        "more-reasoning-than-said": ({**wrong, "completion_tokens_details": {"reasoning_tokens": 21}}, "More reasoning than output"),
        "more-audio-than-sent": ({**wrong, "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 500}}, "More audio than prompt"),
        "parts-above-the-whole": ({**wrong, "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 60}}, "Cached and written above the prompt"),
    }
    for name, (usage, what) in bad.items():
        missing(chat, f"wrong-{name}", f"{what} counts as missing.", usage, counted)


def missing(chat, name, says, usage, counted, **more):
    chat(name, "P3" if usage is None else "P4 P3", says, **counted, usage=usage or u.MISSING, estimated=True, **more)


def streams():
    last = {"input": 300, "cached_input": 200, "output": 60, "reasoning": 40}
    early = u.chat(input=500, output=10)
    chat("stream-usage-twice", "O4", "A server that reports usage in the middle: the last one counts.", last, p.SOL, streamed=[True], stream={"usages": [early, u.chat(**last)]})
    chat("stream-usage-every-chunk", "O4", "Usage of all so far in every chunk: the last one counts.", last, p.SOL, streamed=[True],
         stream={"usages": [u.chat(input=500, output=n) for n in (1, 25, 50)] + [u.chat(**last)]})
    chat("stream-usage-with-the-finish", "O4", "Usage in the chunk with the finish reason.", last, p.SOL, streamed=[True], stream={"usage_with": "finish"})
    chat("stream-null-usage-first", "O4", "Usage is null in every chunk but the last.", last, p.SOL, streamed=[True], stream={"usages": [None, u.chat(**last)]})
    chat("stream-flex-in-every-chunk", "O4 O6", "Each chunk names the tier.", last, p.SOL_FLEX, streamed=[True], tier="flex")


def azure():
    for name, used, prices, tier in [
        ("plain", {"input": 1000, "output": 100}, p.GPT_5, None),
        ("cached-and-reasoning", {"input": 10, "cached_input": 990, "output": 30, "reasoning": 70}, p.GPT_5, "default"),
        ("priority", {"input": 10, "cached_input": 990, "output": 30}, p.GPT_5_PRIORITY, "priority"),
    ]:
        answer = {"usage": u.chat(**used), **({"service_tier": tier} if tier else {})}
        case("azure", f"chat-{name}", model="azure-gpt-5", provider="azure", wire="chat", rules="O1 O2 O5", says="Azure counts and charges as OpenAI does.",
             answer=answer, used=used, prices=prices)
        answer = {"usage": u.responses(**used), **({"service_tier": tier} if tier else {})}
        case("azure", f"responses-{name}", model="azure-gpt-5", provider="azure", wire="responses", rules="O1 O2 O5", says="The same by responses.",
             answer=answer, used=used, prices=prices)


def make():
    for part in (tokens, kinds, lengths, tiers, batches, oddities, streams, azure):
        part()
