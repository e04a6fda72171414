/** Models as clients of the messages format read them: `GET /v1/models` with the header `anthropic-version`. */
import { type Static, Type } from 'typebox';
import type { PageLimits } from './pages.ts';
import { nullable } from './schema.ts';

export const MessagesModel = Type.Object(
  {
    type: Type.Literal('model', { description: 'Always `model`.' }),
    id: Type.String({ description: 'The model code. Send it as `model`.' }),
    display_name: Type.String({ description: 'The model code.' }),
    description: nullable(Type.String({ description: 'Its prices; null if they are unknown.' })),
    created_at: Type.String({ description: 'When the model was added.' }),
    max_input_tokens: nullable(
      Type.Integer({ description: 'The context of the model, in tokens; null if unknown.' }),
    ),
    max_tokens: nullable(
      Type.Integer({ description: 'The largest `max_tokens` of a call; null if unknown.' }),
    ),
    capabilities: Type.Null({ description: 'Always null: unknown.' }),
  },
  { description: 'A model that supports the messages format.' },
);
export type MessagesModel = Static<typeof MessagesModel>;

export const MessagesModelList = Type.Object(
  {
    data: Type.Array(MessagesModel, { description: 'The models of this page.' }),
    has_more: Type.Boolean({ description: 'Whether another page follows in the same direction.' }),
    first_id: nullable(Type.String({ description: 'The id of the first model; null if there is none.' })),
    last_id: nullable(Type.String({ description: 'The id of the last model; null if there is none.' })),
  },
  { description: 'A page of the models that support the messages format.' },
);
export type MessagesModelList = Static<typeof MessagesModelList>;

export const modelPageLimits: PageLimits = { default: 20, max: 1_000 };

/** Which page of the models is asked for; at most one of the two ids. */
export interface ModelPageRequest {
  readonly limit: number;
  readonly afterId: string | null;
  readonly beforeId: string | null;
}
