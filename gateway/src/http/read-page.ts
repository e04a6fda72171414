/** Reads which page of a list is asked for. */
import { type IdPageRequest, type PageLimits, pageLimits } from '../contract/pages.ts';
import { QueryReader } from './query-reader.ts';

/** For lists without other parameters. */
export function readPageQuery(url: string): IdPageRequest {
  const query = new QueryReader(url, ['after', 'limit']);
  const page = readPage(query);
  query.checkFields();
  return page;
}

/** The caller checks the query when it has read the rest. */
export function readPage(query: QueryReader, limits: PageLimits = pageLimits): IdPageRequest {
  return {
    after: query.text('after'),
    limit: query.integer('limit', { min: 1, max: limits.max }) ?? limits.default,
  };
}
