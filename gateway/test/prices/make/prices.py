"""Published prices by situation, as plain amounts: units per 1,000,000 tokens, per 1,000 tool calls, per image, per second.

They are written from the providers' lists and not read from sheet.yaml, so that the sheet's own conditions and factors are
tested as well. `times` multiplies prices of tokens as a provider's rule says; fees of tools stay.
"""
from decimal import Decimal


def tokens(input=None, cached=None, output=None, **more):
    """Reasoning costs the output price; image tokens that have no price of their own cost what text costs."""
    prices = {k: Decimal(str(v)) for k, v in {"input": input, "cached_input": cached, "output": output, **more}.items() if v is not None}
    prices.setdefault("cached_input", prices["input"])
    prices.setdefault("reasoning", prices["output"])
    return prices


def times(prices, factor, keep=(), **own):
    """Every token price times the factor; `own` gives components a factor of their own."""
    result = {}
    for name, price in prices.items():
        fixed = name.startswith("tool.") or name in keep
        result[name] = price if fixed else price * Decimal(str(own.get(name, factor)))
    return result


def tools(**fees):
    return {f"tool.{name}": Decimal(str(fee)) for name, fee in fees.items()}


OPENAI_TOOLS = tools(web_search=10, file_search="2.5", code_interpreter=30)
LONG_OPENAI = {"output": "1.5", "reasoning": "1.5"}  # O7: twice, but the output one and a half times

SOL = tokens(2, "0.2", 10, cache_write="2.5") | OPENAI_TOOLS
SOL_LONG = times(SOL, 2, **LONG_OPENAI)
SOL_FLEX, SOL_PRIORITY, SOL_BATCH = times(SOL, "0.5"), times(SOL, 2), times(SOL, "0.5")
SOL_LONG_HALF = times(SOL_LONG, "0.5")

SOL_56 = tokens(4, "0.4", 20, cache_write_30m=5) | tools(web_search=10, file_search="2.5")
SOL_56_LONG = times(SOL_56, 2, **LONG_OPENAI)

# Before GPT-5.6 writing to the cache costs nothing extra.
GPT_54 = tokens("2.5", "0.25", 15, cache_write="2.5") | OPENAI_TOOLS
GPT_54_LONG = tokens(5, "0.5", "22.5", cache_write=5) | OPENAI_TOOLS

GPT_5 = tokens("1.25", "0.125", 10) | tools(web_search=10, file_search="2.5")
GPT_5_FLEX = tokens("0.625", "0.0625", 5)
GPT_5_PRIORITY = tokens("2.5", "0.25", 20)
GPT_41 = tokens(2, "0.5", 8)
GPT_41_PRIORITY = tokens("3.5", "0.875", 14)
GPT_41_BATCH = tokens(1, None, 4)
GPT_4O = tokens("2.5", "1.25", 10, image_input="2.5")
GPT_4O_AUDIO = tokens("2.5", None, 10, audio_input=40, audio_output=80)
MULTIMODAL = tokens(4, "0.4", 16, image_input=5, audio_input=32, audio_output=64)

GROK = tokens(2, "0.5", 6)
GROK_LONG = times(GROK, 2)
DEEPSEEK = tokens("0.22", "0.007", "0.66")
DEEPSEEK_PRO, DEEPSEEK_PRO_PEAK = tokens("0.66", "0.022", "1.98"), tokens("1.32", "0.044", "3.96")
DEEPSEEK_V3, DEEPSEEK_V3_NIGHT = tokens("0.27", "0.07", "1.1"), tokens("0.135", "0.035", "0.55")
GROQ = tokens("0.15", "0.075", "0.6")
MISTRAL = tokens("0.5", "0.05", "1.5")
OPENROUTER = tokens(3, "0.3", 15, cache_write="3.75")

SEARCH = tools(web_search=10)


def claude(input, output, read="0.1"):
    """A2: written for 5 minutes 1.25 times, for an hour twice, read a tenth of the input price, unless the model has another."""
    base = Decimal(str(input))
    five = base * Decimal("1.25")
    return tokens(base, base * Decimal(read), output, cache_write=five, cache_write_5m=five, cache_write_1h=base * 2)


LONG_CLAUDE = LONG_OPENAI
OPUS_5 = claude(5, 25) | SEARCH
OPUS_46 = claude(5, 25) | SEARCH
SONNET_45 = claude(3, 15) | SEARCH
SONNET_45_LONG = times(SONNET_45, 2, **LONG_CLAUDE)
HAIKU_55 = claude(1, 5) | SEARCH
HAIKU_55_LONG = times(HAIKU_55, 5)
OPUS_55 = claude(4, 20, read="0.05") | SEARCH
FABLE_51 = claude(10, 50, read="0.025") | SEARCH
HAIKU_45 = claude(1, 5)

FLASH = tokens("0.3", "0.03", "2.5", audio_input=1, cached_audio_input="0.1", image_input="0.3") | tools(google_search_prompt=35)
FLASH_BATCH = times(FLASH, "0.5", keep=("cached_input", "cached_audio_input"))
PRO_25 = tokens("1.25", "0.125", 10) | tools(google_search_prompt=35)
PRO_25_LONG = tokens("2.5", "0.25", 15) | tools(google_search_prompt=35)
PRO_3 = tokens(2, "0.2", 12, image_input=2) | tools(google_search_query=14)
PRO_3_LONG = tokens(4, "0.4", 18) | tools(google_search_query=14)
LITE = tokens("0.1", "0.01", "0.4")
PRO_IMAGE = tokens(2, None, 12, image_output=120, image_input=2)

BEDROCK_SONNET = claude(3, 15)
BEDROCK_SONNET_LONG = times(BEDROCK_SONNET, 2, **LONG_CLAUDE)
NOVA = tokens("0.8", "0.2", "3.2", cache_write="0.8")

IMAGE_1 = tokens(5, "1.25", 40, image_input=10)
IMAGE_15 = tokens(5, None, 10, image_input=8, image_output=32)
FLASH_IMAGE = tokens("0.3", None, "2.5", image_output=30, image_input="0.3")
