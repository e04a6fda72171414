/** Batches: `POST /v1/batches`, `GET /v1/batches`, `GET /v1/batches/{id}` and `POST /v1/batches/{id}/cancel`. */
import { type Static, Type } from 'typebox';
import { pageOf } from './pages.ts';
import { Metadata, nullable } from './schema.ts';

export const COMPLETION_WINDOW = '24h';

export const BatchRequest = Type.Object(
  {
    input_file_id: Type.String({ minLength: 1, maxLength: 100 }),
    endpoint: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The `url` of every line of the file.',
    }),
    completion_window: Type.Literal(COMPLETION_WINDOW),
    metadata: Type.Optional(nullable(Metadata)),
  },
  { additionalProperties: false },
);
export type BatchRequest = Static<typeof BatchRequest>;

const Seconds = Type.Integer({ description: 'Unix seconds.' });
const SecondsOrNull = nullable(Seconds);

export const BatchObject = Type.Object({
  id: Type.String(),
  object: Type.Literal('batch'),
  endpoint: Type.String(),
  model: Type.String(),
  errors: nullable(
    Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object({
          code: Type.String(),
          message: Type.String(),
          param: nullable(Type.String()),
          line: nullable(Type.Integer()),
        }),
      ),
    }),
  ),
  input_file_id: Type.String(),
  completion_window: Type.Literal(COMPLETION_WINDOW),
  status: Type.Enum([
    'validating',
    'in_progress',
    'finalizing',
    'completed',
    'failed',
    'cancelling',
    'cancelled',
    'expired',
  ]),
  output_file_id: nullable(Type.String()),
  error_file_id: nullable(Type.String()),
  created_at: Seconds,
  in_progress_at: SecondsOrNull,
  expires_at: Seconds,
  finalizing_at: SecondsOrNull,
  completed_at: SecondsOrNull,
  failed_at: SecondsOrNull,
  expired_at: SecondsOrNull,
  cancelling_at: SecondsOrNull,
  cancelled_at: SecondsOrNull,
  request_counts: Type.Object({
    total: Type.Integer(),
    completed: Type.Integer(),
    failed: Type.Integer(),
  }),
  metadata: nullable(Type.Record(Type.String(), Type.String())),
  settlement_status: Type.Enum(['pending', 'queued', 'processing', 'settling', 'settled', 'quarantined']),
  settled_units: nullable(
    Type.String({ description: 'A decimal amount once settled; null until it is known.' }),
  ),
  settlement_reason: nullable(Type.String({ description: 'Why the settlement needs an operator.' })),
});
export type BatchObject = Static<typeof BatchObject>;

export const BatchList = pageOf(BatchObject);
export type BatchList = Static<typeof BatchList>;
