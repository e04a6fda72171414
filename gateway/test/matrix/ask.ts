/** A question in the words of no format, and the body and headers that put it in each of them. */

export const formats = ['chat', 'responses', 'messages'] as const;
export type Format = (typeof formats)[number];

/** What is not said is left out of the body. */
export interface Question {
  /** One is a prompt; more are separated in the format's own way. */
  readonly system?: readonly string[];
  readonly turns: readonly Turn[];
  readonly tools?: readonly Tool[];
  readonly toolChoice?: 'none' | 'required' | { readonly name: string };
  readonly parallelTools?: false;
  readonly json?: 'object' | object;
  readonly stop?: readonly string[];
  readonly outputTokensMax?: number;
  readonly answers?: number;
  /** False asks not to think at all. */
  readonly thinks?: boolean;
  /** Messages have two forms for it; this is the newer one. */
  readonly adaptive?: true;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly penalties?: { readonly frequency: number; readonly presence: number };
  readonly user?: string;
  readonly verbosity?: string;
  /** A chat stream tells its usage only if it is asked to, which it is unless this is set. */
  readonly hidesUsage?: true;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of the format's own, added last. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export type Turn =
  /** The texts come as parts of their own, before the images. */
  | { readonly role: 'user'; readonly text: string | readonly string[]; readonly images?: readonly string[] }
  | { readonly role: 'assistant'; readonly text: string }
  /** The model's own words as it wrote them (`Reply.echo`), as a client sends them back. */
  | { readonly role: 'assistant'; readonly echo: unknown }
  /** That the tool failed can be said in messages alone. */
  | {
      readonly role: 'tool';
      readonly callId: string;
      /** Messages may have blocks. */
      readonly text: string | readonly object[];
      readonly failed?: true;
    }
  /** A system text in the middle of a conversation; messages have to ask for that. */
  | { readonly role: 'system'; readonly text: string };

export interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: object;
  readonly strict?: true;
}

export interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export function ask(format: Format, model: string, question: Question, streamed: boolean): Request {
  const body = { model, ...writers[format](question, streamed), ...question.more };
  // A field that is undefined is not written.
  const headers = { ...(format === 'messages' && { 'vendor-version': '2023-06-01' }), ...question.headers };
  return { path: paths[format], headers, body };
}

export const paths: Readonly<Record<Format, string>> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

/** Messages have to say a cap; this one never cuts an answer of the simulator. */
const MESSAGES_CAP = 8_192;
const THINKING_BUDGET = 2_048;

const writers: Readonly<Record<Format, (question: Question, streamed: boolean) => object>> = {
  chat: writeChat,
  responses: writeResponses,
  messages: writeMessages,
};

function writeChat(question: Question, streamed: boolean): object {
  const { tools, toolChoice, json, penalties } = question;
  const system = (question.system ?? []).map((content, i) => ({
    role: i === 0 ? 'system' : 'developer',
    content,
  }));
  const usage = question.hidesUsage ? undefined : { include_usage: true };
  return {
    messages: [...system, ...question.turns.map(chatMessage)],
    ...(streamed && { stream: true, stream_options: usage }),
    tools: tools?.map((tool) => ({ type: 'function', function: tool })),
    tool_choice:
      typeof toolChoice === 'object' ? { type: 'function', function: { name: toolChoice.name } } : toolChoice,
    parallel_tool_calls: question.parallelTools,
    response_format:
      json === 'object'
        ? { type: 'json_object' }
        : json && { type: 'json_schema', json_schema: { name: 'answer', schema: json, strict: true } },
    stop: question.stop,
    max_completion_tokens: question.outputTokensMax,
    n: question.answers,
    reasoning_effort: effortOf(question),
    temperature: question.temperature,
    top_p: question.topP,
    top_k: question.topK,
    seed: question.seed,
    frequency_penalty: penalties?.frequency,
    presence_penalty: penalties?.presence,
    user: question.user,
    verbosity: question.verbosity,
  };
}

function effortOf({ thinks }: Question): string | undefined {
  if (thinks === undefined) return undefined;
  return thinks ? 'high' : 'none';
}

function chatMessage(turn: Turn): unknown {
  if (turn.role === 'tool') return { role: 'tool', tool_call_id: turn.callId, content: turn.text };
  if ('echo' in turn) return turn.echo;
  if (!hasParts(turn)) return { role: turn.role, content: turn.text };
  const images = turn.images?.map((url) => ({ type: 'image_url', image_url: { url } })) ?? [];
  return { role: 'user', content: [...textsOf(turn).map((text) => ({ type: 'text', text })), ...images] };
}

type UserTurn = Extract<Turn, { role: 'user' }>;

function hasParts(turn: Turn): turn is UserTurn {
  return turn.role === 'user' && (turn.images !== undefined || typeof turn.text !== 'string');
}

function textsOf({ text }: UserTurn): readonly string[] {
  return typeof text === 'string' ? [text] : text;
}

function writeResponses(question: Question, streamed: boolean): object {
  const { tools, toolChoice, json, penalties } = question;
  const [instructions, ...more] = question.system ?? [];
  const system = more.map((content) => ({ role: 'system', content }));
  const [turn] = question.turns;
  const alone = question.turns.length === 1 && turn?.role === 'user' && turn.images === undefined;
  const plain = alone && typeof turn.text === 'string';
  return {
    // A text alone is the short way to put a question.
    input: plain && system.length === 0 ? turn.text : [...system, ...question.turns.flatMap(responsesItems)],
    instructions,
    ...(streamed && { stream: true }),
    tools: tools?.map((tool) => ({ type: 'function', ...tool })),
    tool_choice: typeof toolChoice === 'object' ? { type: 'function', name: toolChoice.name } : toolChoice,
    parallel_tool_calls: question.parallelTools,
    text: (json || question.verbosity) && {
      verbosity: question.verbosity,
      format:
        json === 'object'
          ? { type: 'json_object' }
          : json && { type: 'json_schema', name: 'answer', schema: json, strict: true },
    },
    max_output_tokens: question.outputTokensMax,
    reasoning: question.thinks ? { effort: 'high', summary: 'auto' } : noEffort(question),
    temperature: question.temperature,
    top_p: question.topP,
    frequency_penalty: penalties?.frequency,
    presence_penalty: penalties?.presence,
    user: question.user,
  };
}

function noEffort({ thinks }: Question): object | undefined {
  return thinks === false ? { effort: 'none' } : undefined;
}

function responsesItems(turn: Turn): unknown[] {
  if (turn.role === 'tool') {
    return [{ type: 'function_call_output', call_id: turn.callId, output: turn.text }];
  }
  if ('echo' in turn) return turn.echo as unknown[];
  if (!hasParts(turn)) return [{ role: turn.role, content: turn.text }];
  const images = turn.images?.map((image_url) => ({ type: 'input_image', image_url, detail: 'auto' })) ?? [];
  const texts = textsOf(turn).map((text) => ({ type: 'input_text', text }));
  return [{ role: 'user', content: [...texts, ...images] }];
}

function writeMessages(question: Question, streamed: boolean): object {
  const { tools, json, system = [] } = question;
  return {
    system: system.length > 1 ? system.map((text) => ({ type: 'text', text })) : system[0],
    messages: messagesOf(question.turns),
    max_tokens: question.outputTokensMax ?? MESSAGES_CAP,
    ...(streamed && { stream: true }),
    tools: tools?.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
    tool_choice: messagesToolChoice(question),
    output_config: json && { format: { type: 'json_schema', schema: json } },
    stop_sequences: question.stop,
    thinking: thinkingOf(question),
    temperature: question.temperature,
    top_p: question.topP,
    top_k: question.topK,
    metadata: question.user === undefined ? undefined : { user_id: question.user },
  };
}

function thinkingOf({ thinks, adaptive }: Question): object | undefined {
  if (!thinks) return undefined;
  return adaptive
    ? { type: 'adaptive', display: 'summarized' }
    : { type: 'enabled', budget_tokens: THINKING_BUDGET };
}

function messagesToolChoice({ toolChoice, parallelTools }: Question): object | undefined {
  const single = parallelTools === false ? { disable_parallel_tool_use: true } : {};
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name, ...single };
  if (toolChoice === 'none') return { type: 'none' };
  if (toolChoice === 'required') return { type: 'any', ...single };
  return parallelTools === false ? { type: 'auto', ...single } : undefined;
}

/** The results of tools that were called together stand in one message of the user. */
function messagesOf(turns: readonly Turn[]): object[] {
  const messages: Array<{ role: string; content: unknown }> = [];
  let results: object[] | null = null;
  for (const turn of turns) {
    if (turn.role === 'tool') {
      if (results === null) {
        results = [];
        messages.push({ role: 'user', content: results });
      }
      results.push({
        type: 'tool_result',
        tool_use_id: turn.callId,
        content: turn.text,
        is_error: turn.failed,
      });
    } else {
      results = null;
      messages.push({ role: turn.role, content: messageContent(turn) });
    }
  }
  return messages;
}

function messageContent(turn: Exclude<Turn, { role: 'tool' }>): unknown {
  if ('echo' in turn) return turn.echo;
  if (!hasParts(turn)) return turn.text;
  const images = (turn.images ?? []).map((url) => {
    const [, mediaType, data] = /^data:([^;]+);base64,(.*)$/.exec(url) ?? [];
    const source =
      data === undefined ? { type: 'url', url } : { type: 'base64', media_type: mediaType, data };
    return { type: 'image', source };
  });
  return [...textsOf(turn).map((text) => ({ type: 'text', text })), ...images];
}
