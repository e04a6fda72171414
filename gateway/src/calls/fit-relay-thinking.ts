/** Thinking in a relayed messages call, in the form that its model takes. Pure. */
import { fitReasoning, isEffort, nearestEffort } from '../catalog/fit-reasoning.ts';
import type { ModelTraits } from '../catalog/model-traits.ts';
import type { CountTokensRequest, MessagesRequest } from '../contract/messages.ts';
import { listOf } from '../json/read-json.ts';
import { type WrittenTurn, writeThinkingForm } from '../providers/anthropic/write-thinking.ts';
import { readReasoning } from '../text/formats/messages/read-call.ts';
import type { Reasoning } from '../text/text-call.ts';
import type { Edits } from './edits.ts';

/** A request to count tokens has no output cap. */
export type ThinkingRequest = CountTokensRequest & Partial<Pick<MessagesRequest, 'max_tokens'>>;

/** What the body says about thinking after the changes; null: nothing. */
export function fitThinking(request: ThinkingRequest, takes: ModelTraits, edits: Edits): Reasoning | null {
  const asked = readReasoning(request);
  const effort = request.output_config?.effort ?? null;
  if (asked === null || (effort !== null && !isEffort(effort))) return asked;
  if (takesForm(request.thinking, takes)) {
    setEffort(request, effort === null ? null : nearestEffort(effort, takes), edits);
    return asked;
  }
  const fitted = fitReasoning(asked, takes);
  const written = fitted === null ? {} : writeForm(fitted, request, takes);
  edits.set('thinking', written.thinking ?? null);
  setEffort(request, written.effort ?? null, edits);
  return fitted;
}

function takesForm(thinking: MessagesRequest['thinking'], takes: ModelTraits): boolean {
  switch (thinking?.type) {
    case 'enabled':
      return takes.thinking === 'budget' || takes.takesBudget;
    case 'adaptive':
      return takes.thinking === 'adaptive';
    case 'disabled':
      return takes.thinkingOff === 'yes';
    case 'between_tools':
      return takes.thinkingOff === 'between_tools';
    default:
      return true;
  }
}

function writeForm(
  reasoning: Reasoning,
  { messages, max_tokens = Number.MAX_SAFE_INTEGER }: ThinkingRequest,
  takes: ModelTraits,
): ReturnType<typeof writeThinkingForm> {
  const target = { outputTokensMax: null, takes };
  return writeThinkingForm(
    { reasoning, outputTokensMax: max_tokens },
    target,
    messages.slice(-2).map(turnOf),
  );
}

function turnOf({ role, content }: MessagesRequest['messages'][number]): WrittenTurn {
  return {
    role,
    content: typeof content === 'string' ? [{ type: 'text' }] : (listOf(content) as WrittenTurn['content']),
  };
}

function setEffort({ output_config: config }: ThinkingRequest, effort: string | null, edits: Edits): void {
  const { effort: asked = null, ...rest } = config ?? {};
  if (effort === asked) return;
  const changed = { ...rest, ...(effort !== null && { effort }) };
  edits.set('output_config', Object.keys(changed).length === 0 ? null : changed);
}
