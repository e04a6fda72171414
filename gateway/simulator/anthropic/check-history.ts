/** The rules of order between messages: who begins, and how calls of tools and their results pair. */
import type { Block } from './read-blocks.ts';
import { invalid } from './refusals.ts';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly Block[];
}

interface Group extends Message {
  /** The place of its first message. */
  readonly index: number;
}

export function checkHistory(
  messages: readonly Message[],
  rules: { thinkingBlocksRequired: boolean; prefill: boolean },
): void {
  if (messages[0]?.role !== 'user') throw invalid('messages: first message must use the "user" role');
  const last = messages.at(-1) as Message;
  if (last.role === 'assistant' && !rules.prefill) {
    throw invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  if (last.role === 'assistant' && /\s$/.test(String(last.blocks.at(-1)?.text ?? ''))) {
    throw invalid('messages: final assistant content cannot end with trailing whitespace');
  }
  const groups = mergeSpeakers(messages);
  groups.forEach((group, place) => {
    if (group.role === 'assistant') checkAnswered(group, groups[place + 1]);
    else checkAsked(group, groups[place - 1]);
  });
  if (rules.thinkingBlocksRequired) checkThinkingKept(groups);
}

/** Messages of one speaker in a row count as one. */
function mergeSpeakers(messages: readonly Message[]): Group[] {
  const groups: Group[] = [];
  messages.forEach((message, index) => {
    const before = groups.at(-1);
    if (before?.role !== message.role) groups.push({ ...message, index });
    else groups[groups.length - 1] = { ...before, blocks: [...before.blocks, ...message.blocks] };
  });
  return groups;
}

function checkAnswered(group: Group, next: Group | undefined): void {
  const called = group.blocks.filter((block) => block.type === 'tool_use').map((block) => block.id);
  if (called.length === 0) return;
  const answered = new Set(leadingResults(next).map((block) => block.tool_use_id));
  const open = called.filter((id) => !answered.has(id));
  if (open.length === 0) return;
  throw invalid(
    `messages.${group.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
      `${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkAsked(group: Group, before: Group | undefined): void {
  const called = new Set(before?.blocks.map((block) => block.id));
  const seen = new Set<unknown>();
  group.blocks.forEach((block, index) => {
    if (block.type !== 'tool_result') return;
    const id = block.tool_use_id;
    if (!called.has(id)) {
      throw invalid(
        `messages.${group.index}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      );
    }
    if (seen.has(id)) {
      throw invalid(
        `messages.${group.index}.content.${index}: each tool_use must have a single result. ` +
          `Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
  });
}

/** A result that comes after other content is not found. */
function leadingResults(group: Group | undefined): readonly Block[] {
  const blocks = group?.blocks ?? [];
  const end = blocks.findIndex((block) => block.type !== 'tool_result');
  return end < 0 ? blocks : blocks.slice(0, end);
}

/** While tools are at work, the thinking that led to their calls has to come back. */
function checkThinkingKept(groups: readonly Group[]): void {
  const [asked, answered] = groups.slice(-2);
  const first = asked?.role === 'assistant' ? asked.blocks[0] : undefined;
  if (asked === undefined || first === undefined || leadingResults(answered).length === 0) return;
  if (first.type === 'thinking' || first.type === 'redacted_thinking') return;
  throw invalid(
    `messages.${asked.index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. ` +
      'When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost ' +
      'set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. ' +
      'To avoid this requirement, disable `thinking`.',
  );
}
