"""What a price sheet can say beyond the providers' lists: rounding, zero prices, fees per call, dates."""
import prices as p
import usage as u
from core import case


def said(name, rules, says, used, prices, model, **more):
    counts = {k: v for k, v in used.items() if k != "request"}
    case("sheet", name, model=model, provider="openai", wire="chat", rules=rules, says=says,
         answer={"usage": more.pop("usage", u.chat(**counts))}, used=used, prices=prices, **more)


def make():
    fine = p.tokens("0.1234567", "0.0000005", "0.7654321")
    said("round", "P2", "1 x 0.1234567 per million is 0.0000001234567: the 13th place rounds up, to 0.000000123457.", {"input": 1}, fine, "long-decimals", cost="0.000000123457")
    said("round-half-to-even-down", "P2", "1 x 0.0000005 per million is half of the last place: to the even 0.", {"cached_input": 1}, fine, "long-decimals", cost="0")
    said("round-half-to-even-up", "P2", "3 x 0.0000005 per million is 1.5 last places: to the even 2.", {"cached_input": 3}, fine, "long-decimals", cost="0.000000000002")
    said("round-half-to-even-stays", "P2", "5 x 0.0000005 per million is 2.5 last places: to the even 2.", {"cached_input": 5}, fine, "long-decimals", cost="0.000000000002")
    said("round-each-line", "P2", "Every line is rounded by itself; the sum of the lines is the cost.",
         {"input": 1, "cached_input": 3, "output": 1, "reasoning": 1}, fine, "long-decimals", cost="0.000001654323")
    for i, used in enumerate([{"input": 12_345, "cached_input": 6789, "output": 1011, "reasoning": 1213}, {"input": 7, "cached_input": 11, "output": 13, "reasoning": 17}, {"input": 999_999_999}]):
        said(f"long-decimals-{i + 1}", "P2", "Long decimals stay exact.", used, fine, "long-decimals")
    said("free", "P3", "A price of zero is a price: the call costs 0, with its lines.", {"input": 1000, "output": 10}, p.tokens(0, None, 0), "free", cost="0")
    fee = p.tokens(1, None, 2) | {"request": "0.005"}
    said("per-request", "T1", "A fee for the call beside its tokens: 0.001 + 0.0002 + 0.005.", {"input": 1000, "output": 100, "request": 1}, fee, "per-request", cost="0.0062")
    said("dated", "T1", "The entry that is valid now: neither the one before nor the one to come.", {"input": 1000, "output": 10}, p.tokens(1, None, 10), "dated", cost="0.0011")
    base = [("input", 1000, 1), ("input", 500, 2), ("output", 10, 3)]
    said("marginal", "T1", "Only the 500 tokens above 1,000 cost 2.", {"input": 1500, "output": 10}, None, "marginal", lines=lines(base), cost="0.00203")
    said("marginal-at", "T1", "1,000 is not above.", {"input": 1000, "output": 10}, p.tokens(1, None, 3), "marginal")


def lines(rows):
    from decimal import Decimal

    from core import amount_of

    return [(name, count, Decimal(price), amount_of(count, price, 1_000_000)) for name, count, price in rows]
