/** Rows that the upload accepts but that fail when they run. Pure. */

import type { LineFacts } from '../../batch-files/check-batch-line.ts';
import { wrongOutputCap } from '../../contract/batch-lines/wrong-output-cap.ts';
import { ChatRequest } from '../../contract/chat.ts';
import { Shape } from '../../contract/check-shape.ts';
import { EmbeddingsRequest } from '../../contract/embeddings.ts';
import { ResponsesRequest } from '../../contract/responses.ts';

export interface RowWarning {
  readonly row: number;
  readonly field: string | null;
  readonly advice: string;
}

const shapes = {
  chat: new Shape(ChatRequest),
  responses: new Shape(ResponsesRequest),
  embeddings: new Shape(EmbeddingsRequest),
};

export function warningOf({ endpoint, model, body }: LineFacts, row: number): RowWarning | null {
  const cap = endpoint === 'chat' ? wrongOutputCap(model, body) : null;
  if (cap !== null) {
    const advice = `${model.code} expects its output cap in ${cap.wanted}; with ${cap.sent} the row fails when it runs.`;
    return { row, field: `body.${cap.sent}`, advice };
  }
  const error = shapes[endpoint].error(body);
  if (error === null) return null;
  const field = error.path === '' ? 'body' : `body.${error.path}`;
  return { row, field, advice: `${field} ${error.message}; the row fails when it runs.` };
}
