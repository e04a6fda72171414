/** Decides which tools a prompt calls, and with what. */
import { fitSchema } from './fit-schema.ts';
import { askedText, type Prompt, type Tool, type ToolCall } from './prompt.ts';
import type { Dice } from './words.ts';

/** The tools that are called whatever the prompt says: the one demanded, or any where one is required. */
export function forcedTools(prompt: Prompt): readonly Tool[] {
  const { toolChoice, tools } = prompt;
  if (typeof toolChoice === 'object') return tools.filter((tool) => tool.name === toolChoice.name);
  if (toolChoice !== 'required') return [];
  const named = namedTools(prompt);
  return named.length > 0 ? named : tools.slice(0, 1);
}

/** The tools that the last user turn names as whole words, in the order it names them. */
export function namedTools(prompt: Prompt): readonly Tool[] {
  if (prompt.toolChoice === 'none' || prompt.tools.length === 0) return [];
  const text = askedText(prompt);
  const found = prompt.tools
    .map((tool) => ({ tool, at: wordPosition(text, tool.name) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ tool }) => tool);
  return prompt.parallelTools ? found : found.slice(0, 1);
}

const CALL = /\[\[call ([\w-]+) (\{.*?\})\]\]/gs;

/** The calls that the last user turn writes out, `[[call NAME {…}]]`, of tools that are on offer. */
export function scriptedCalls(prompt: Prompt): readonly ToolCall[] {
  const text = askedText(prompt);
  if (prompt.toolChoice === 'none' || !text.includes('[[call ')) return [];
  const { tools, toolChoice } = prompt;
  const demanded = typeof toolChoice === 'object' ? toolChoice.name : null;
  const calls = [...text.matchAll(CALL)].flatMap(([, name, args = '']) => {
    const tool = tools.find((one) => one.name === name && (demanded ?? name) === name);
    return tool === undefined ? [] : [callOf(tool, args)];
  });
  return prompt.parallelTools ? calls : calls.slice(0, 1);
}

export function callTool(tool: Tool, dice: Dice): ToolCall {
  if (tool.takesText) return callOf(tool, `A text for ${tool.name}, with "quotes".`);
  const fitting = fitSchema(tool.schema ?? {}, dice);
  const value = typeof fitting === 'object' && fitting !== null ? fitting : {};
  return callOf(tool, JSON.stringify(value));
}

function callOf({ name, namespace, takesText }: Tool, args: string): ToolCall {
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    arguments: args,
    ...(takesText && { isText: true }),
  };
}

function wordPosition(text: string, name: string): number {
  if (name === '') return -1;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isNamePart(text[at - 1]) && !isNamePart(text[at + name.length])) return at;
  }
  return -1;
}

function isNamePart(character: string | undefined): boolean {
  return character !== undefined && /[\w-]/.test(character);
}
