/** Batches: `POST /v1/batches`, `GET /v1/batches`, `GET /v1/batches/{id}` and `POST /v1/batches/{id}/cancel`. */
import { type Static, Type } from 'typebox';
import { batchStatuses, settlementStates } from './administration/words.ts';
import { idPageOf } from './pages.ts';
import { Metadata, nullable } from './schema.ts';

export const COMPLETION_WINDOW = '24h';

export const BatchRequest = Type.Object(
  {
    input_file_id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of an uploaded file.' }),
    endpoint: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The `url` of every line of the file.',
    }),
    completion_window: Type.Literal(COMPLETION_WINDOW, { description: 'Always `24h`.' }),
    metadata: Type.Optional(nullable(Metadata)),
  },
  { additionalProperties: false, description: 'A file to run as a batch.' },
);
export type BatchRequest = Static<typeof BatchRequest>;

const seconds = (description: string) => Type.Integer({ description: `${description}, in Unix seconds.` });
const secondsOrNull = (description: string) => nullable(seconds(description));

export const BatchObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the batch.' }),
    object: Type.Literal('batch', { description: 'Always `batch`.' }),
    endpoint: Type.String({ description: 'The endpoint of its lines.' }),
    model: Type.String({ description: 'The model of its lines.' }),
    errors: nullable(
      Type.Object(
        {
          object: Type.Literal('list', { description: 'Always `list`.' }),
          data: Type.Array(
            Type.Object({
              code: Type.String({ description: 'The error code.' }),
              message: Type.String({ description: 'What went wrong.' }),
              param: nullable(Type.String({ description: 'The field, if one is at fault.' })),
              line: nullable(Type.Integer({ description: 'The line, if one is at fault.' })),
            }),
            { description: 'The errors.' },
          ),
        },
        { description: 'Why the whole batch failed; null if it did not.' },
      ),
    ),
    input_file_id: Type.String({ description: 'The file that was submitted.' }),
    completion_window: Type.Literal(COMPLETION_WINDOW, { description: 'Always `24h`.' }),
    status: Type.Enum(batchStatuses, { description: 'How far the batch is, or how it ended.' }),
    output_file_id: nullable(Type.String({ description: 'The file with the answers, once it is settled.' })),
    error_file_id: nullable(
      Type.String({ description: 'The file with the failed lines, once it is settled.' }),
    ),
    created_at: seconds('When it was submitted'),
    in_progress_at: secondsOrNull('When its lines began to run'),
    expires_at: seconds('When lines that have not run expire'),
    finalizing_at: secondsOrNull('When its last line ended'),
    completed_at: secondsOrNull('When it was completed'),
    failed_at: secondsOrNull('When it failed'),
    expired_at: secondsOrNull('When it expired'),
    cancelling_at: secondsOrNull('When its cancellation was requested'),
    cancelled_at: secondsOrNull('When it was cancelled'),
    request_counts: Type.Object(
      {
        total: Type.Integer({ description: 'All lines.' }),
        completed: Type.Integer({ description: 'Lines that were answered.' }),
        failed: Type.Integer({ description: 'Lines that failed.' }),
      },
      { description: 'The lines of the batch, by outcome.' },
    ),
    metadata: nullable(
      Type.Record(Type.String(), Type.String(), { description: 'The `metadata` of the request.' }),
    ),
    settlement_status: Type.Enum(settlementStates, {
      description: 'How far the charge is. `quarantined`: on hold, because a cost is unknown.',
    }),
    settled_units: nullable(
      Type.String({ description: 'The charged units as a decimal; null until the batch is settled.' }),
    ),
    settlement_reason: nullable(Type.String({ description: 'Why the settlement needs an operator.' })),
  },
  { description: 'A batch with its progress and cost.' },
);
export type BatchObject = Static<typeof BatchObject>;

export const BatchList = idPageOf(BatchObject, 'A page of batches.');
export type BatchList = Static<typeof BatchList>;
