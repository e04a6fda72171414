/** Reads a generateContent request into a neutral prompt. */
import { type ModelTraits, traitsOf } from '../brain/models.ts';
import { askedIn, type Prompt, type Tool, type Turn } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { lowerTypes } from './lower-types.ts';
import { type ModelRules, rulesOf } from './model-rules.ts';
import { readSystem, readTurns } from './read-contents.ts';
import { readGeneration } from './read-generation.ts';
import { invalid, notJson, unknownModel, unmet } from './refusals.ts';
import { countShape, generateShape } from './request-shape.ts';
import { normalise } from './shapes.ts';

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;
const MODES = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'];

export function readGenerate(given: unknown, model: string, method: string): Prompt {
  const traits = readModel(model, method);
  const body = record(given);
  if (body === null) throw notJson();
  return readPrompt(normalise(body, generateShape), model, traits);
}

/** Either bare contents or a whole request. */
export function readCount(given: unknown, model: string): Prompt {
  const traits = readModel(model, 'countTokens');
  const body = record(given);
  if (body === null) throw notJson();
  const read = normalise(body, countShape);
  return readPrompt(record(read.generateContentRequest) ?? { contents: read.contents }, model, traits);
}

function readModel(model: string, method: string): ModelTraits {
  const traits = traitsOf(model);
  if (traits === null || !(traits.chats || traits.drawsImages)) throw unknownModel(model, method);
  return traits;
}

function readPrompt(body: Json, model: string, traits: ModelTraits): Prompt {
  const tools = readTools(body.tools);
  const rules = rulesOf(model);
  const turns = readTurns(body.contents, { traits, rules });
  const toolChoice = readToolChoice(record(record(body.toolConfig)?.functionCallingConfig), tools, turns);
  const generation = readGeneration(record(body.generationConfig) ?? {}, { traits, rules });
  if (tools.length > 0 && generation.format !== 'text') checkJson(toolChoice, rules);
  return {
    model,
    turns: [...readSystem(body.systemInstruction), ...turns],
    tools,
    toolChoice,
    parallelTools: true,
    ...generation,
  };
}

function checkJson(choice: Prompt['toolChoice'], { json }: ModelRules): void {
  if (json === 'without functions')
    throw invalid("Function calling with a response mime type: 'application/json' is unsupported");
  if (json === 'without forced functions' && choice !== 'auto' && choice !== 'none')
    throw invalid(
      "Forced function calling (ANY mode) with a response mime type: 'application/json' is unsupported",
    );
}

function readTools(value: unknown): readonly Tool[] {
  const declared = (Array.isArray(value) ? (value as Json[]) : []).flatMap((tool, index) =>
    (Array.isArray(tool.functionDeclarations) ? (tool.functionDeclarations as Json[]) : []).map(
      (declaration, place) => readTool(declaration, `tools[${index}].function_declarations[${place}]`),
    ),
  );
  const names = new Set(declared.map((tool) => tool.name));
  if (names.size === declared.length) return declared;
  const twice = declared.find((tool, index) => declared.findIndex((it) => it.name === tool.name) !== index);
  throw invalid(`Duplicate function declaration found: ${twice?.name}`);
}

function readTool(declaration: Json, at: string): Tool {
  const { name, description, parameters, parametersJsonSchema } = declaration;
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw unmet(
      `${at}.name`,
      'Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), ' +
        'underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.',
    );
  }
  if (parameters !== undefined && parametersJsonSchema !== undefined) {
    throw unmet(at, 'only one of parameters and parameters_json_schema may be set.');
  }
  return {
    name,
    description: String(description ?? ''),
    schema: parametersJsonSchema ?? lowerTypes(parameters),
  };
}

function readToolChoice(
  config: Json | null,
  tools: readonly Tool[],
  turns: readonly Turn[],
): Prompt['toolChoice'] {
  const mode = config?.mode ?? 'AUTO';
  if (!MODES.includes(mode as string)) {
    throw invalid(
      `Invalid value at 'tool_config.function_calling_config.mode' (type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode), ${JSON.stringify(mode)}`,
    );
  }
  const allowed = Array.isArray(config?.allowedFunctionNames)
    ? (config.allowedFunctionNames as string[])
    : [];
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') {
    if (allowed.length > 0 && mode !== 'VALIDATED') {
      throw unmet(
        'tool_config.function_calling_config.allowed_function_names',
        'allowed_function_names should only be set when mode is ANY or VALIDATED.',
      );
    }
    return 'auto';
  }
  if (tools.length === 0) {
    throw invalid('Function calling config is set without function_declarations.');
  }
  const foreign = allowed.find((name) => !tools.some((tool) => tool.name === name));
  if (foreign !== undefined) {
    throw unmet(
      'tool_config.function_calling_config.allowed_function_names',
      `${foreign} is not declared in tools.`,
    );
  }
  const asked = askedIn(turns);
  const name = allowed.find((it) => asked.includes(it)) ?? allowed[0];
  return name === undefined ? 'required' : { name };
}
