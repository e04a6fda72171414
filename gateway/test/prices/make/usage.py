"""Usage as each provider writes it on the wire, from the kinds of tokens that were used. Kinds never overlap here."""

# An answer without usage.
MISSING = "missing"


def chat(input=0, cached_input=0, cache_write=0, image_input=0, audio_input=0,
         output=0, reasoning=0, audio_output=0, predicted=None, beside=False, **more):
    """OpenAI's chat completions: everything is within prompt and completion; with xAI reasoning is beside (X1)."""
    prompt = input + cached_input + cache_write + image_input + audio_input
    completion = output + audio_output + (0 if beside else reasoning)
    prompt_details = {"cached_tokens": cached_input, "audio_tokens": audio_input}
    if cache_write:
        prompt_details["cache_write_tokens"] = cache_write
    if image_input:
        prompt_details["image_tokens"] = image_input
    accepted, rejected = predicted or (0, 0)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion + (reasoning if beside else 0),
        "prompt_tokens_details": prompt_details,
        "completion_tokens_details": {
            "reasoning_tokens": reasoning,
            "audio_tokens": audio_output,
            "accepted_prediction_tokens": accepted,
            "rejected_prediction_tokens": rejected,
        },
        **more,
    }


def responses(input=0, cached_input=0, cache_write=0, cache_write_30m=0, cache_write_12h=0, output=0, reasoning=0, **more):
    total_in = input + cached_input + cache_write + cache_write_30m + cache_write_12h
    details = {"cached_tokens": cached_input, "cache_write_tokens": cache_write + cache_write_30m + cache_write_12h}
    if cache_write_30m or cache_write_12h:
        details["cache_write_tokens_details"] = {"ttl_30m_tokens": cache_write_30m, "ttl_12h_tokens": cache_write_12h}
    return {
        "input_tokens": total_in,
        "input_tokens_details": details,
        "output_tokens": output + reasoning,
        "output_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": total_in + output + reasoning,
        **more,
    }


def messages(input=0, cached_input=0, cache_write=0, cache_write_5m=0, cache_write_1h=0, output=0, reasoning=0, **more):
    """Anthropic: the cache is beside the input (A1), thinking within the output (A3)."""
    usage = {
        "input_tokens": input,
        "cache_creation_input_tokens": cache_write + cache_write_5m + cache_write_1h,
        "cache_read_input_tokens": cached_input,
        "output_tokens": output + reasoning,
        "service_tier": "standard",
    }
    if not cache_write:
        usage["cache_creation"] = {
            "ephemeral_5m_input_tokens": cache_write_5m,
            "ephemeral_1h_input_tokens": cache_write_1h,
        }
    if reasoning:
        usage["output_tokens_details"] = {"thinking_tokens": reasoning}
    return {**usage, **more}


def google(input=0, image=0, video=0, audio_input=0, cached_input=0, cached_audio_input=0, tool_use=0,
           output=0, image_output=0, reasoning=0, **more):
    """Gemini: cached tokens are within the prompt (V2), thoughts and results of tools beside (V1, V3). Zeros are left out."""
    text_in = input + cached_input
    prompt = text_in + image + video + audio_input + cached_audio_input
    candidates = output + image_output
    usage = {"promptTokenCount": prompt}
    if candidates:
        usage["candidatesTokenCount"] = candidates
    if cached_input or cached_audio_input:
        usage["cachedContentTokenCount"] = cached_input + cached_audio_input
        usage["cacheTokensDetails"] = modalities(TEXT=cached_input, AUDIO=cached_audio_input)
    if reasoning:
        usage["thoughtsTokenCount"] = reasoning
    if tool_use:
        usage["toolUsePromptTokenCount"] = tool_use
    usage["totalTokenCount"] = prompt + candidates + reasoning + tool_use
    kinds = modalities(TEXT=text_in, IMAGE=image, VIDEO=video, AUDIO=audio_input + cached_audio_input)
    if kinds:
        usage["promptTokensDetails"] = kinds
    if image_output:
        usage["candidatesTokensDetails"] = modalities(IMAGE=image_output, TEXT=output)
    return {**usage, **more}


def modalities(**counts):
    return [{"modality": kind, "tokenCount": count} for kind, count in counts.items() if count]


def bedrock(input=0, cached_input=0, cache_write=0, cache_write_5m=0, cache_write_1h=0, output=0, **more):
    """Converse: the cache is beside the input (B1), and its lifetimes are a list (B2)."""
    put = cache_write + cache_write_5m + cache_write_1h
    usage = {
        "inputTokens": input,
        "outputTokens": output,
        "totalTokens": input + cached_input + put + output,
        "cacheReadInputTokens": cached_input,
        "cacheWriteInputTokens": put,
    }
    details = [{"ttl": ttl, "inputTokens": n} for ttl, n in (("5m", cache_write_5m), ("1h", cache_write_1h)) if n]
    if details:
        usage["cacheDetails"] = details
    return {**usage, **more}


def images(input=0, image_input=0, output=0, text_output=None, **more):
    """GPT image models: `output` are tokens of images, `text_output` those of text, where the answer separates them."""
    total_out = output + (text_output or 0)
    usage = {
        "input_tokens": input + image_input,
        "input_tokens_details": {"text_tokens": input, "image_tokens": image_input},
        "output_tokens": total_out,
        "total_tokens": input + image_input + total_out,
    }
    if text_output is not None:
        usage["output_tokens_details"] = {"image_tokens": output, "text_tokens": text_output}
    return {**usage, **more}
