/** Writes relayed calls: the caller's own body, with the provider's name of the model. */
import type { Model } from '../catalog/model.ts';
import { type CallKind, pathsOf } from '../contract/paid-endpoints.ts';
import { replaceFields } from '../json/edit-fields.ts';
import type { JsonObject } from '../json/parse-json.ts';
import { putInline } from '../json/placeholders.ts';
import { Problem } from '../kernel/problem.ts';

export function relayedBody(body: JsonObject, upstreamModel: string): Buffer {
  const relayed = putInline(replaceFields(body, { model: JSON.stringify(upstreamModel) }), body.inline);
  return Buffer.isBuffer(relayed) ? relayed : Buffer.concat(relayed);
}

/** The catalogue lists the model for such calls, but this provider has none. */
export function notOffered({ code }: Pick<Model, 'code'>, kind: CallKind): Problem {
  const detail = `The model ${code} does not support ${pathsOf(kind).join(' or ')}.`;
  return new Problem('model_not_found', { detail, param: 'model' });
}
