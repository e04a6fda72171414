/** Writes a neutral call as a Converse request. Pure. */
import { arrangeTurns } from '../../text/arrange-turns.ts';
import type { PlacedSystem } from '../../text/place-system.ts';
import { withPlainTools } from '../../text/plain-tools.ts';
import { CannotCarry, type TextCall, type TextField } from '../../text/text-call.ts';
import { writeSchema } from '../anthropic/write-schema.ts';
import type { TextTarget } from '../provider.ts';
import { withoutNulls } from '../without-nulls.ts';
import { type CachePoint, cachePoints } from './cache-point.ts';
import { type BedrockFamily, familyOf } from './model-family.ts';
import { writeBedrockMessages } from './write-messages.ts';
import { writeBedrockReasoning } from './write-reasoning.ts';
import { writeBedrockTools } from './write-tools.ts';

export function writeBedrockRequest(
  asked: TextCall,
  target: Pick<TextTarget, 'upstreamModel' | 'structured' | 'takes' | 'outputTokensMax'>,
): object {
  const call = withPlainTools(asked);
  rejectUnsupportedFields(call);
  const family = familyOf(target);
  const { system, messages } = arrangeTurns(call.messages);
  const { point, toolPoint } = cachePoints(family);
  const { toolConfig, ...ofTools } = writeBedrockTools(call, {
    family,
    toolPoint,
    structured: target.structured === true,
  });
  const written = writeBedrockMessages(messages, { family, point });
  const { fields, outputTokensMax } = writeBedrockReasoning(call, target, { family, messages: written });
  const config = writeConfig(call, outputTokensMax);
  const additional = { ...fields, ...ofTools, ...writeTopK(call, family) };
  return {
    messages: written,
    ...writeSystem(system, point),
    ...(Object.keys(config).length > 0 && { inferenceConfig: config }),
    ...(toolConfig !== undefined && { toolConfig }),
    ...writeFormat(call.responseFormat),
    ...(call.serviceTier && { serviceTier: { type: call.serviceTier } }),
    ...(Object.keys(additional).length > 0 && { additionalModelRequestFields: additional }),
    ...(family === 'claude' && call.stop.length > 0 && { additionalModelResponseFieldPaths: STOPPED_BY }),
  };
}

/** Where Claude says which sequence stopped it, in a whole answer and in a stream. */
const STOPPED_BY = ['/stop_sequence', '/delta/stop_sequence'];

/** Fields that Converse does not have. The end user is not part of the question, so it is left out. */
const absent = ['seed', 'verbosity'] as const satisfies Array<TextField & keyof TextCall>;

function rejectUnsupportedFields(call: TextCall): void {
  const field = absent.find((name) => call[name] !== null);
  if (field !== undefined) throw new CannotCarry(field);
  // A penalty of zero is the default, so it can be left out.
  if ((call.frequencyPenalty ?? 0) !== 0) throw new CannotCarry('frequencyPenalty');
  if ((call.presencePenalty ?? 0) !== 0) throw new CannotCarry('presencePenalty');
  if (call.answers > 1) throw new CannotCarry('answers', 'above 1');
  if ((call.temperature ?? 0) > 1) throw new CannotCarry('temperature', 'above 1');
  // There is no JSON mode without a schema, and asking for it in the prompt would change the prompt.
  if (call.responseFormat.type === 'json_object') throw new CannotCarry('responseFormat', 'without a schema');
}

function writeSystem(system: PlacedSystem['system'], point: CachePoint): { system?: object[] } {
  const blocks = system.flatMap(({ text, cache }) => [{ text }, ...point(cache)]);
  return blocks.length === 0 ? {} : { system: blocks };
}

function writeConfig({ temperature, topP, stop }: TextCall, outputTokensMax: number | null): object {
  return {
    ...withoutNulls({ maxTokens: outputTokensMax, temperature, topP }),
    ...(stop.length > 0 && { stopSequences: stop }),
  };
}

/** Each maker has its own field for it, if any. */
function writeTopK({ topK }: TextCall, family: BedrockFamily): object {
  if (topK === null) return {};
  if (family === 'claude') return { top_k: topK };
  if (family === 'nova') return { inferenceConfig: { topK } };
  throw new CannotCarry('topK');
}

/** The schema is sent as a text. */
function writeFormat(format: TextCall['responseFormat']): object {
  if (format.type !== 'json_schema') return {};
  const schema = JSON.stringify(writeSchema(format.schema, 'responseFormat'));
  const { name, description } = format;
  const jsonSchema = { schema, ...withoutNulls({ name, description }) };
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
}
