/** What OpenAI says when it turns down a call of the Responses API, where chat has no such words. */
import { Refusal } from '../refusal.ts';

export function unknownParameter(param: string): Refusal {
  return new Refusal(400, `Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' });
}

export function movedFormat(): Refusal {
  return new Refusal(
    400,
    "Unsupported parameter: 'response_format'. In the Responses API, this parameter has moved to 'text.format'. " +
      'Try again with the new parameter. See the API documentation for more information: ' +
      'https://platform.openai.com/docs/api-reference/responses/create.',
    { code: 'unsupported_parameter' },
  );
}

export function notResponsesModel(model: string): Refusal {
  return new Refusal(404, `The model '${model}' is not supported with the Responses API.`, {
    param: 'model',
    code: 'model_not_found',
  });
}

export function belowMinimum(param: string, least: number, got: number): Refusal {
  return new Refusal(
    400,
    `Invalid '${param}': integer below minimum value. Expected a value >= ${least}, but got ${got} instead.`,
    { param, code: 'integer_below_min_value' },
  );
}

export function aboveMaximum(param: string, most: number, got: number): Refusal {
  return new Refusal(
    400,
    `Invalid '${param}': integer above maximum value. Expected a value <= ${most}, but got ${got} instead.`,
    { param, code: 'integer_above_max_value' },
  );
}

export function outOfRange(param: string, least: number, most: number, got: number): Refusal {
  const [bound, expected, code] =
    got < least
      ? ['below minimum', `>= ${least}`, 'decimal_below_min_value']
      : ['above maximum', `<= ${most}`, 'decimal_above_max_value'];
  return new Refusal(
    400,
    `Invalid '${param}': decimal ${bound} value. Expected a value ${expected}, but got ${got} instead.`,
    { param, code },
  );
}

export function tooLong(param: string, most: number, got: number): Refusal {
  return new Refusal(
    400,
    `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got a string with length ${got} instead.`,
    { param, code: 'string_above_max_length' },
  );
}

export function wrongName(param: string): Refusal {
  return new Refusal(
    400,
    `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    { param, code: 'invalid_value' },
  );
}

/** The words are those of a schema: `'a', 'b', and 'c'`. */
export function unsupportedValue(param: string, got: unknown, supported: readonly string[]): Refusal {
  const names = supported.map((name) => `'${name}'`);
  const listed =
    names.length < 3
      ? names.join(' and ')
      : `${names.slice(0, -1).join(', ')}, and ${names[names.length - 1] as string}`;
  const shown = typeof got === 'string' ? `'${got}'` : String(JSON.stringify(got));
  return new Refusal(400, `Invalid value: ${shown}. Supported values are: ${listed}.`, {
    param,
    code: 'invalid_value',
  });
}

export function unsupportedBackground(): Refusal {
  return new Refusal(400, "Unsupported value: 'background' is not supported with this model.", {
    param: 'background',
    code: 'unsupported_value',
  });
}

export function unsupportedEffort(): Refusal {
  return new Refusal(400, "Unsupported parameter: 'reasoning.effort' is not supported with this model.", {
    param: 'reasoning.effort',
    code: 'unsupported_parameter',
  });
}

export function unknownPrevious(id: string): Refusal {
  return new Refusal(400, `Previous response with id '${id}' not found.`, {
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  });
}

export function unknownItem(id: string): Refusal {
  return new Refusal(404, `Item with id '${id}' not found.`, { param: 'input' });
}

export function unknownFile(id: string): Refusal {
  return new Refusal(404, `The file with id '${id}' was not found.`, { param: 'input' });
}

export function unverifiedContent(sealed: string): Refusal {
  const shown = sealed.length > 8 ? `${sealed.slice(0, 4)}...${sealed.slice(-4)}` : sealed;
  return new Refusal(400, `The encrypted content ${shown} could not be verified.`, {
    code: 'invalid_encrypted_content',
  });
}

export function outputWithoutCall(callId: string): Refusal {
  return new Refusal(400, `No tool call found for function call output with call_id ${callId}.`, {
    param: 'input',
  });
}

export function callWithoutOutput(callId: string): Refusal {
  return new Refusal(400, `No tool output found for function call ${callId}.`, { param: 'input' });
}

export function hostedToolUnsupported(tool: string, model: string): Refusal {
  return new Refusal(400, `Hosted tool '${tool}' is not supported with ${model}.`, { param: 'tools' });
}

export function toolNotOffered(name: string): Refusal {
  return new Refusal(400, `Tool choice 'function' with name '${name}' not found in 'tools' parameter.`, {
    param: 'tool_choice',
  });
}

export function unsupportedTextFormat(type: string): Refusal {
  return new Refusal(
    400,
    `Invalid parameter: 'text.format' of type '${type}' is not supported with this model.`,
    { param: 'text.format' },
  );
}

export function inputTooLong(): Refusal {
  return new Refusal(
    400,
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    { param: 'input', code: 'context_length_exceeded' },
  );
}
