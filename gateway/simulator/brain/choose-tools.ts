/** Decides which tools a prompt calls. */
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

export function callTool(tool: Tool, dice: Dice): ToolCall {
  const fitting = fitSchema(tool.schema ?? {}, dice);
  const value = typeof fitting === 'object' && fitting !== null ? fitting : {};
  const { name, namespace } = tool;
  return { name, ...(namespace !== undefined && { namespace }), arguments: JSON.stringify(value) };
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
