/**
 * The tools of a request that the provider runs itself, also those without a fee: each use reads the prompt again, and adds
 * to it what the tool found. Pure.
 */
import { type Json, listOf, objectOf, textOf } from '../json/read-json.ts';
import type { TextFormatName } from './text-format.ts';

export interface HostedTool {
  /** As in price sheets. */
  readonly kind: string;
  /** The caller's own field, such as `tools[2]`. */
  readonly param: string;
  /** How often it may be used; null: as often as the provider likes. */
  readonly usesMax: number | null;
  /** How the caller can limit it; null: there is no way. */
  readonly limit: string | null;
}

export function providerTools(format: TextFormatName, request: object): readonly HostedTool[] {
  return readers[format](request as Json);
}

const readers: Readonly<Record<TextFormatName, (request: Json) => readonly HostedTool[]>> = {
  chat: inChat,
  responses: inResponses,
  messages: inMessages,
};

const NONE: readonly HostedTool[] = [];

function unlimited(kind: string, param: string): HostedTool {
  return { kind, param, usesMax: null, limit: null };
}

const ownOfChat: ReadonlySet<unknown> = new Set(['function', 'custom', undefined]);

function inChat({ tools, web_search_options, search_parameters, plugins }: Json): readonly HostedTool[] {
  const found = eachTool(tools, 'tools', ({ type }, param) =>
    ownOfChat.has(type) ? NONE : [unlimited(textOf(type), param)],
  );
  const searches = {
    web_search_options: (web_search_options ?? null) !== null,
    search_parameters: (search_parameters ?? null) !== null && objectOf(search_parameters).mode !== 'off',
    plugins: listOf(plugins).length > 0,
  };
  for (const [param, asked] of Object.entries(searches))
    if (asked) found.push(unlimited('web_search', param));
  return found;
}

const ownOfMessages = new Set(['', 'custom', 'bash', 'text_editor', 'computer', 'memory']);
/** Anthropic counts their uses, and ends them at `max_uses`. */
const limitedInMessages = new Set(['web_search', 'web_fetch']);

function inMessages({ tools, mcp_servers }: Json): readonly HostedTool[] {
  const found = eachTool(tools, 'tools', ({ type, max_uses }, param) => {
    // Such as `web_search_20250305`.
    const kind = textOf(type).replace(/_\d{8}$/, '');
    if (ownOfMessages.has(kind)) return NONE;
    if (!limitedInMessages.has(kind)) return [unlimited(kind, param)];
    return [{ kind, param, usesMax: countOf(max_uses), limit: `${param}.max_uses` }];
  });
  for (const i of listOf(mcp_servers).keys()) found.push(unlimited('mcp', `mcp_servers[${i}]`));
  return found;
}

const ownOfResponses = new Set([
  ...['function', 'custom', 'computer', 'computer_use_preview', 'local_shell', 'apply_patch'],
]);
/** OpenAI counts their calls together, and ends them at `max_tool_calls`. */
const limitedInResponses = new Set(['web_search', 'code_interpreter']);

function inResponses({ tools, input, max_tool_calls }: Json): readonly HostedTool[] {
  const usesMax = countOf(max_tool_calls);
  const found = eachTool(tools, 'tools', (tool, param) => inResponsesTool(tool, param, usesMax));
  // Items that load tools.
  for (const [i, item] of (Array.isArray(input) ? input : []).entries())
    found.push(
      ...eachTool(objectOf(item).tools, `input[${i}].tools`, (tool, param) =>
        inResponsesTool(tool, param, usesMax),
      ),
    );
  return found;
}

function inResponsesTool(tool: Json, param: string, usesMax: number | null): readonly HostedTool[] {
  const type = textOf(tool.type);
  if (type === 'namespace')
    return eachTool(tool.tools, `${param}.tools`, (inner, at) => inResponsesTool(inner, at, usesMax));
  if (ownOfResponses.has(type) || isOwnByChoice(type, tool)) return NONE;
  // Such as `web_search_preview_2025_03_11`.
  const kind = type.startsWith('web_search') ? 'web_search' : type;
  if (!limitedInResponses.has(kind)) return [unlimited(kind, param)];
  return [{ kind, param, usesMax, limit: 'max_tool_calls' }];
}

function isOwnByChoice(type: string, { environment, execution }: Json): boolean {
  if (type === 'shell') return objectOf(environment).type === 'local';
  return type === 'tool_search' && execution === 'client';
}

function eachTool(
  tools: unknown,
  field: string,
  read: (tool: Json, param: string) => readonly HostedTool[],
): HostedTool[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool, i) => read(objectOf(tool), `${field}[${i}]`));
}

function countOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}
