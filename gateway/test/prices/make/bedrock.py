"""Amazon Bedrock's Converse."""
import prices as p
import usage as u
from core import case
from openai import COUNTED


def converse(name, rules, says, used, prices, model="bedrock-sonnet-4-5", usage=None, tier=None, **more):
    answer = {"usage": usage or u.bedrock(**used)}
    if tier is not None:
        answer["serviceTier"] = {"type": tier}
    case("bedrock", name, model=model, provider="bedrock", wire="bedrock", rules=rules, says=says, answer=answer, used=used, prices=prices, **more)


def make():
    short, long = p.BEDROCK_SONNET, p.BEDROCK_SONNET_LONG
    converse("plain", "B3 T1", "1,000 x 3 + 100 x 15, per million.", {"input": 1000, "output": 100}, short, cost="0.0045")
    converse("read", "B1 B3", "Read tokens are beside the input: 100 x 3 + 900 x 0.3 + 10 x 15, per million.", {"input": 100, "cached_input": 900, "output": 10}, short, cost="0.00072")
    converse("written", "B1", "Written without a lifetime: 100 x 3 + 1,000 x 3.75 + 10 x 15, per million.", {"input": 100, "cache_write": 1000, "output": 10}, short, cost="0.0042")
    converse("written-5m", "B1 B2", "Written for five minutes.", {"input": 100, "cache_write_5m": 1000, "output": 10}, short)
    converse("written-1h", "B1 B2", "Written for an hour: 100 x 3 + 1,000 x 6 + 10 x 15, per million.", {"input": 100, "cache_write_1h": 1000, "output": 10}, short, cost="0.00645")
    converse("written-both", "B1 B2", "Both lifetimes, and read.", {"input": 5, "cached_input": 700, "cache_write_5m": 80, "cache_write_1h": 90, "output": 3}, short)
    for name, count, prices in [("below", 199_999, short), ("at", 200_000, short), ("above", 200_001, long), ("far-above", 700_000, long)]:
        rule = "all of the call at the long prices" if prices is long else "the short prices"
        converse(f"context-{name}", "B4", f"{count:,} tokens: {rule}.", {"input": count, "output": 100}, prices)
        converse(f"context-{name}-cache", "B4 B2", f"Read and written tokens count ({count:,}): {rule}.",
                 {"input": 10, "cached_input": count - 1010, "cache_write_5m": 400, "cache_write_1h": 600, "output": 100}, prices)
    converse("nova", "B1", "A model with a cached price of its own.", {"input": 100, "cached_input": 900, "output": 50}, p.NOVA, model="nova-pro")
    converse("nova-written", "B1 P1", "Without a price for writes they cost the input price.", {"input": 100, "cache_write": 900, "output": 50}, p.NOVA, model="nova-pro")
    for tier in ("priority", "flex"):
        converse(f"tier-{tier}", "B5 U2", "The answer names a tier that has no price.", {"input": 100, "output": 50}, {}, tier=tier)
    converse("tier-default", "B5 B3", "The default tier.", {"input": 100, "output": 50}, short, tier="default")
    converse("zero", "P3", "An explicit zero.", {}, short)
    converse("minimal", "T1", "No counts of a cache.", {"input": 10, "output": 5}, short, usage={"inputTokens": 10, "outputTokens": 5, "totalTokens": 15})
    converse("unknown-count", "U1", "A count that we do not know.", {"input": 10, "output": 5}, {}, usage=u.bedrock(input=10, output=5, holographicTokens=2))
    converse("missing", "P3", "No usage: counted by the gateway.", COUNTED, short, usage=u.MISSING, estimated=True)
    converse("wrong-fraction", "P4 P3", "Half a token counts as missing.", COUNTED, short, usage={"inputTokens": 10.5, "outputTokens": 5, "totalTokens": 15}, estimated=True)
    half = p.times(short, "0.5")
    converse("batch", "B5", "Half in a batch.", {"input": 1000, "output": 100}, half, batch=True, formats=["chat"])
    converse("batch-cache", "B5 B2", "Half of each price of the cache.", {"input": 10, "cached_input": 200, "cache_write_1h": 300, "output": 100}, half, batch=True, formats=["chat"])
    converse("batch-long", "B5 B4", "Half of the long prices.", {"input": 300_000, "output": 100}, p.times(long, "0.5"), batch=True, formats=["chat"])
