/** Reads the header with the tags of a call. */
import type { CallTags } from '../calls/attribute-call.ts';
import { readTags, TAGS_HEADER, type Tags } from '../contract/tags.ts';
import type { EdgeRequest } from '../edge/edge-request.ts';
import { Problem } from '../kernel/problem.ts';

/** Null: there is none. */
export function readTagsHeader({ headers }: EdgeRequest): Tags | null {
  const sent = headers[TAGS_HEADER];
  if (sent === undefined || sent === '') return null;
  const tags = readTags(String(sent));
  if (typeof tags !== 'string') return tags;
  throw new Problem('invalid_parameter', {
    detail: `The header ${TAGS_HEADER} ${tags}. Send it as team=search,feature=chat.`,
    param: TAGS_HEADER,
  });
}

export function readCallTags(request: EdgeRequest): CallTags | null {
  const header = readTagsHeader(request);
  return header === null ? null : { header };
}
