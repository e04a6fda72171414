/** Anthropic's list of models, page by page. */

const CREATED_AT = '2026-01-01T00:00:00Z';
const PAGE = 20;
const PAGE_MAX = 1_000;

export function writeModels(names: readonly string[], query: URLSearchParams): string {
  const wanted = Number(query.get('limit') ?? PAGE);
  const limit = wanted >= 1 && wanted <= PAGE_MAX ? Math.floor(wanted) : PAGE;
  const from = names.indexOf(query.get('after_id') ?? '') + 1;
  const page = names.slice(from, from + limit);
  return JSON.stringify({
    data: page.map((id) => ({ type: 'model', id, display_name: id, created_at: CREATED_AT })),
    has_more: from + limit < names.length,
    first_id: page[0] ?? null,
    last_id: page.at(-1) ?? null,
  });
}
