"""What a case is, how its bill is worked out, and how it is written. Knows nothing of the gateway.

A case starts from what happened (so many tokens of each kind, so many searches ...). Two things follow from it,
each by its own road: the usage as the provider writes it on the wire (usage.py), and the bill, from the prices that the
provider publishes for the situation (prices.py). The gateway has to find the way from the first to the second.
"""
import json
import re
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from pathlib import Path

CASES = Path(__file__).resolve().parent.parent / "cases"
PLACES = Decimal("0.000000000001")
TEXT = ["chat", "responses", "messages"]

# The formats in which a caller can reach a model of this provider, by the protocol that the provider is asked in.
FORMATS = {
    "openai chat": ["chat", "messages"],
    "openai responses": ["responses"],
    "azure chat": ["chat", "messages"],
    "azure responses": ["responses"],
    "openai-responses responses": TEXT,
    "compatible chat": TEXT,
    "anthropic messages": TEXT,
    "google google": TEXT,
    "bedrock bedrock": TEXT,
    "openai images": ["images"],
    "google google-images": ["images"],
    "openai video": ["video"],
    "google video": ["video"],
}

written = []
_seen = set()


def decimal_text(value):
    text = format(value, "f")
    return re.sub(r"\.?0+$", "", text) if "." in text else text


def amount_of(count, price, per):
    """Rule P2: half to even, to 12 places, each line by itself."""
    with localcontext() as context:
        context.prec = 60
        return (Decimal(price) * Decimal(str(count)) / Decimal(per)).quantize(PLACES, rounding=ROUND_HALF_EVEN)


def per_of(component):
    if component.startswith("tool."):
        return 1_000
    return 1 if component in ("request", "image", "second") else 1_000_000


def bill(used, prices):
    """One line for each component that was used. A component without a price makes the call unpriced (U1)."""
    lines = []
    for component, count in used.items():
        if count == 0:
            continue
        if component not in prices:
            return None
        price = Decimal(prices[component])
        lines.append((component, count, price, amount_of(count, price, per_of(component))))
    return lines


def case(
    folder,
    name,
    *,
    model,
    provider,
    wire,
    rules,
    says,
    answer=None,
    used=None,
    prices=None,
    lines="worked out",
    cost=None,
    streamed=(False, True),
    batch=False,
    formats=None,
    **more,
):
    """Writes one file. `used` and `prices` give the bill; `cost`, where it is given, was worked out by hand."""
    if lines == "worked out":
        lines = bill(used, prices)
    body = {
        "rules": rules.split(),
        "says": says,
        "model": model,
        "wire": wire,
        "formats": formats or FORMATS[f"{provider} {wire}"],
        "streamed": [False] if batch or wire in ("images", "google-images", "video") else list(streamed),
        "batch": batch,
    }
    if answer is not None:
        body["answer"] = {key: value for key, value in answer.items() if value != "missing"}
    body.update(more)
    total = None if lines is None else sum((amount for *_, amount in lines), Decimal(0))
    if cost is not None and (total is None or decimal_text(total) != cost):
        raise SystemExit(f"{folder}/{name}: by hand {cost}, by program {total}")
    body["cost"] = None if total is None else decimal_text(total)
    body["lines"] = [
        {"component": c, "count": n, "price": decimal_text(p), "amount": decimal_text(a)} for c, n, p, a in lines or []
    ]
    path = f"{folder}/{name}.json"
    if path in _seen:
        raise SystemExit(f"two cases are named {path}")
    _seen.add(path)
    written.append((path, body, cost is not None))


def write_all():
    for path, body, _ in written:
        file = CASES / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(to_text(body))
    by_hand = sum(1 for *_, hand in written if hand)
    print(f"{len(written)} cases, {by_hand} of them worked out by hand as well")
    for other in sorted(str(file.relative_to(CASES)) for file in CASES.rglob("*.json")):
        if other not in _seen:
            print(f"not from this program: {other}")


WIDTH = 110


def to_text(body):
    """As the formatter of the repository writes JSON."""
    return expanded(body, 0) + "\n"


def formatted(value, indent, used):
    """On one line if it fits behind the `used` columns, else one item on each line."""
    line = on_one_line(value)
    if used + len(line) + 1 <= WIDTH:
        return line
    return expanded(value, indent) if isinstance(value, (dict, list)) and value else line


def expanded(value, indent):
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        names = [(f"{json.dumps(name)}: ", item) for name, item in value.items()]
        rows = [f"{inner}{name}{formatted(item, indent + 2, indent + 2 + len(name))}" for name, item in names]
    else:
        rows = [f"{inner}{formatted(item, indent + 2, indent + 2)}" for item in value]
    left, right = "{}" if isinstance(value, dict) else "[]"
    return left + "\n" + ",\n".join(rows) + "\n" + " " * indent + right


def on_one_line(value):
    if isinstance(value, dict) and value:
        return "{ " + ", ".join(f"{json.dumps(name)}: {on_one_line(item)}" for name, item in value.items()) + " }"
    if isinstance(value, list) and value:
        return "[" + ", ".join(on_one_line(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)
