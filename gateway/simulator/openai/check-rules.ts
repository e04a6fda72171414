/** Holds a request against what its model takes. */
import { type Json, record } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import { isOff, type Ruled, readEffortAsked } from './effort-asked.ts';
import {
  blankAssistant,
  chatTools,
  deepSeekChoice,
  deepSeekFormat,
  deepSeekThoughts,
  jsonWithTools,
  mistralLastRole,
  unsupportedParameter,
  unsupportedTemperature,
} from './rule-refusals.ts';

/** The effort that the model reasons with. */
export function checkRules(asked: Ruled): string {
  const effort = readEffortAsked(asked);
  const reasons = !isOff(effort);
  checkSampling(asked, reasons);
  checkFields(asked);
  checkTools(asked, reasons);
  if (asked.api === 'chat') checkMessages(asked, reasons);
  return effort;
}

function checkSampling({ api, body, rules }: Ruled, reasons: boolean): void {
  if (rules.sampling === 'always' || (rules.sampling === 'without reasoning' && !reasons)) return;
  if (body.temperature != null && body.temperature !== 1) {
    throw api === 'chat' ? unsupportedTemperature(body.temperature) : unsupportedParameter('temperature');
  }
  if (body.top_p != null && body.top_p !== 1) throw unsupportedParameter('top_p');
}

function checkFields({ body, rules }: Ruled): void {
  if (body.stop != null && !rules.stop) throw unsupportedParameter('stop', rules.maker);
  if (rules.penalties) return;
  for (const name of ['presence_penalty', 'frequency_penalty'])
    if (body[name] != null) throw unsupportedParameter(name, rules.maker);
}

function checkTools({ api, model, body, rules }: Ruled, reasons: boolean): void {
  if (!Array.isArray(body.tools) || body.tools.length === 0) return;
  if (api === 'chat' && reasons && rules.chatTools === 'without reasoning') throw chatTools(model);
  const forced = body.tool_choice != null && body.tool_choice !== 'auto' && body.tool_choice !== 'none';
  if (forced && reasons && rules.forcedTools === 'without reasoning') throw deepSeekChoice();
  if (!rules.jsonWithTools && isJson(body.response_format)) throw jsonWithTools();
}

function isJson(format: unknown): boolean {
  const type = record(format)?.type;
  return type !== undefined && type !== 'text';
}

function checkMessages({ body, rules }: Ruled, reasons: boolean): void {
  if (rules.maker === 'deepseek' && record(body.response_format)?.type === 'json_schema')
    throw deepSeekFormat();
  const messages = (Array.isArray(body.messages) ? body.messages : []).map((one) => record(one) ?? {});
  const problem = messages.map((message, index) => saidOf(message, index)).find((found) => found !== null);
  if (problem) throw problem;
  if (!rules.prefill && messages.at(-1)?.role === 'assistant') throw mistralLastRole();
  const calls = messages.filter(({ tool_calls: made }) => Array.isArray(made) && made.length > 0);
  if (rules.maker === 'deepseek' && reasons && calls.some((message) => message.reasoning_content == null))
    throw deepSeekThoughts();
}

/** A model that said nothing and called nothing has not answered. */
function saidOf(message: Json, index: number): Refusal | null {
  const { role, content, tool_calls: calls, function_call: call, refusal } = message;
  const called = call != null || (Array.isArray(calls) && calls.length > 0);
  const silent = content == null && refusal == null && !called;
  return role === 'assistant' && silent ? blankAssistant(index) : null;
}
