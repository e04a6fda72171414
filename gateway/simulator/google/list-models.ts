/** Google's list of models, page by page. */
import { traitsOf } from '../brain/models.ts';

const PAGE = 50;
const PAGE_MAX = 1_000;

export function writeModels(names: readonly string[], query: URLSearchParams): string {
  const wanted = Number(query.get('pageSize') ?? PAGE);
  const size = wanted >= 1 ? Math.min(Math.floor(wanted), PAGE_MAX) : PAGE;
  const from = names.indexOf(query.get('pageToken') ?? '') + 1;
  const page = names.slice(from, from + size);
  const models = page.map((name) => ({
    name: `models/${name}`,
    version: '001',
    displayName: name,
    description: 'A simulated model',
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: methodsOf(name),
  }));
  const more = from + size < names.length;
  return JSON.stringify({ models, ...(more ? { nextPageToken: page.at(-1) } : {}) });
}

function methodsOf(name: string): readonly string[] {
  const traits = traitsOf(name);
  const embeds = traits !== null && traits.embeds !== null;
  return embeds && !traits.chats ? ['embedContent'] : ['generateContent', 'countTokens'];
}
