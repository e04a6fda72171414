/**
 * The conversation so far, in the format of each kind of call. After a turn in which the model called tools, the next
 * message is their result: providers accept nothing else. Pure.
 */
import type { ToolCall } from './read-play.ts';

/** What was asked, and what one model answered. */
export interface PastTurn {
  readonly prompt: string;
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
}

interface Format {
  asked(text: string): object[];
  results(calls: readonly ToolCall[], text: string): object[];
  answered(turn: PastTurn): object[];
}

const chat: Format = {
  asked: (content) => [{ role: 'user', content }],
  results: (calls, content) => calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content })),
  answered: ({ text, toolCalls }) => {
    const tool_calls = toolCalls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    }));
    if (tool_calls.length > 0) return [{ role: 'assistant', content: text === '' ? null : text, tool_calls }];
    return text === '' ? [] : [{ role: 'assistant', content: text }];
  },
};

const responses: Format = {
  asked: (content) => [{ role: 'user', content }],
  results: (calls, output) => calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output })),
  answered: ({ text, toolCalls }) => [
    ...(text === '' ? [] : [{ role: 'assistant', content: text }]),
    ...toolCalls.map(({ id, name, args }) => ({ type: 'function_call', call_id: id, name, arguments: args })),
  ],
};

const messages: Format = {
  asked: (content) => [{ role: 'user', content }],
  results: (calls, content) => [
    { role: 'user', content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content })) },
  ],
  answered: ({ text, toolCalls }) => {
    if (text === '' && toolCalls.length === 0) return [];
    if (toolCalls.length === 0) return [{ role: 'assistant', content: text }];
    const uses = toolCalls.map(({ id, name, args }) => ({
      type: 'tool_use',
      id,
      name,
      input: JSON.parse(args === '' ? '{}' : args) as unknown,
    }));
    return [{ role: 'assistant', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...uses] }];
  },
};

const formats = { chat, responses, messages };

/** Everything that was said, and the new message. */
export function writeHistory(
  format: keyof typeof formats,
  { history, prompt }: { history: readonly PastTurn[]; prompt: string },
): object[] {
  const { asked, results, answered } = formats[format];
  const said = (text: string, calls: readonly ToolCall[] = []): object[] =>
    calls.length > 0 ? results(calls, text) : asked(text);
  const past = history.flatMap((turn, i) => [
    ...said(turn.prompt, history[i - 1]?.toolCalls),
    ...answered(turn),
  ]);
  return [...past, ...said(prompt, history.at(-1)?.toolCalls)];
}
