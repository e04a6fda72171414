/** What OpenAI, and others who speak its protocol, say of requests that one of their models does not take. */
import { Refusal, type RefusalDetails } from '../refusal.ts';
import type { Maker } from './model-rules.ts';

/** xAI has names of its own for the parameters, and an error that is a text. */
const XAI_NAMES: Readonly<Record<string, string>> = {
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  reasoning_effort: 'reasoningEffort',
};
export const PLAIN_ERROR = 'Client specified an invalid argument';

export function unsupportedParameter(param: string, maker: Maker = 'openai'): Refusal {
  if (maker === 'xai') {
    const name = XAI_NAMES[param];
    const message =
      name === undefined
        ? `Argument not supported on this model: ${param}`
        : `This model does not support parameter ${name}.`;
    return new Refusal(400, message, { type: PLAIN_ERROR });
  }
  if (maker === 'groq') return invalid(`\`${param}\` is not supported with this model`, { param });
  return invalid(`Unsupported parameter: '${param}' is not supported with this model.`, {
    param,
    code: 'unsupported_parameter',
  });
}

export function unsupportedTemperature(value: unknown): Refusal {
  return invalid(
    `Unsupported value: 'temperature' does not support ${value} with this model. Only the default (1) value is supported.`,
    { param: 'temperature', code: 'unsupported_value' },
  );
}

export function unsupportedEffortValue(
  effort: string,
  at: { field: string; model: string; efforts: readonly string[] },
): Refusal {
  const names = at.efforts.map((name) => `'${name}'`);
  const listed = names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`;
  const what =
    at.field === 'reasoning_effort'
      ? `'reasoning_effort' does not support '${effort}' with this model.`
      : `'${effort}' is not supported with the '${at.model}' model.`;
  return invalid(`Unsupported value: ${what} Supported values are: ${listed}.`, {
    param: at.field,
    code: 'unsupported_value',
  });
}

export function chatTools(model: string): Refusal {
  return invalid(
    `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. ` +
      "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    { param: 'reasoning_effort' },
  );
}

export function blankAssistant(index: number): Refusal {
  return invalid("Invalid value for 'content': expected a string, got null.", {
    param: `messages.[${index}].content`,
  });
}

export function jsonWithTools(): Refusal {
  return invalid('json mode cannot be combined with tool/function calling', {});
}

const DEEPSEEK = { code: 'invalid_request_error' };

export function deepSeekChoice(): Refusal {
  return invalid('Thinking mode does not support this tool_choice', DEEPSEEK);
}

export function deepSeekThoughts(): Refusal {
  return invalid('The `reasoning_content` in the thinking mode must be passed back to the API.', DEEPSEEK);
}

export function deepSeekFormat(): Refusal {
  return invalid('This response_format type is unavailable now', DEEPSEEK);
}

export function mistralLastRole(): Refusal {
  return invalid(
    'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    {},
  );
}

function invalid(message: string, details: RefusalDetails): Refusal {
  return new Refusal(400, message, details);
}
