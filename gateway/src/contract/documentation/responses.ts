import { cost, eventStream, limitTooHigh, listOfOne } from './example-parts.ts';
import { ExampleResult } from './example-values.ts';
import type { TagDocs } from './operation-docs.ts';

const id = 'resp_01kdm5x8qv7t2n4c6f9w3hzrpa';
const message = {
  type: 'message',
  id: 'msg_6T01BLT86Svfz3Rd',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'It works', annotations: [] }],
};
const usage = { input_tokens: 7, output_tokens: 28, total_tokens: 35 };
const response = {
  id,
  object: 'response',
  created_at: 1794805973,
  status: 'completed',
  model: 'sim-chat',
  output: [message],
  error: null,
  incomplete_details: null,
  usage,
  estimated_cost: cost('0.0002975'),
};
const queued = {
  ...{ ...response, status: 'queued', background: true, output: [], usage: null, estimated_cost: null },
};
const started = { ...response, status: 'in_progress', output: [], usage: null, estimated_cost: undefined };
const place = { item_id: message.id, output_index: 1, content_index: 0 };

const response_not_found = {
  detail: 'There is no kept response "resp_unknown" that this key can read.',
  param: 'response_id',
  provoke: { path: { id: 'resp_unknown' } },
};

const ID = 'The id of the response.';

export const responsesDocs: TagDocs = {
  tag: 'Responses',
  description: 'The responses format of OpenAI, on every text model.',
  operations: {
    createResponse: {
      description:
        'Answers a prompt or continues a conversation. The response is stored for 30 days unless `store` is false, so that a later call can continue it with `previous_response_id`.\n\nWith `"stream": true` the answer is a stream of events, of which the last one, `response.completed`, has `estimated_cost`.\n\nWith `"background": true` it is answered at once with the status `queued`, and runs on although you disconnect. Read it with `GET /v1/responses/{id}` until its status is `completed`, `incomplete`, `failed` or `cancelled`.',
      examples: [
        {
          title: 'A prompt',
          body: { model: 'sim-chat', input: 'Reply with exactly: It works' },
          partial: true,
          answer: response,
        },
        {
          title: 'Continue a conversation',
          body: {
            model: 'sim-chat',
            input: 'Reply with exactly: It works',
            previous_response_id: new ExampleResult('createResponse', 'id'),
          },
          partial: true,
          answer: { ...response, previous_response_id: id },
        },
        {
          title: 'A streamed answer',
          body: { model: 'sim-chat', input: 'Reply with exactly: It works', stream: true },
          partial: true,
          answer: eventStream(
            [
              { type: 'response.created', sequence_number: 0, response: started },
              {
                type: 'response.output_text.delta',
                sequence_number: 6,
                ...place,
                delta: 'It works',
              },
              { type: 'response.output_text.done', sequence_number: 8, ...place, text: 'It works' },
              { type: 'response.completed', sequence_number: 11, response },
            ],
            { named: true },
          ),
        },
        {
          title: 'A background response',
          body: { model: 'sim-chat', input: 'Reply with exactly: It works', background: true },
          partial: true,
          answer: queued,
        },
      ],
    },
    getResponse: {
      description:
        'Returns a kept response as it was answered. Responses are kept for 30 days, unless `store` is false. Another key of the same person can read it too; a shared key reads only its own. With `stream`, the events of a background response, or of one that was created as a stream with an `Idempotency-Key`, are sent again, also while it runs; `starting_after` leaves out those that you have.',
      path: { id: ID },
      examples: [
        {
          title: 'A kept response',
          path: { id: new ExampleResult('createResponse', 'id') },
          partial: true,
          answer: response,
        },
      ],
      errors: {
        response_not_found,
        invalid_parameter: {
          detail: 'starting_after needs stream=true, because it is the number of an event.',
          param: 'starting_after',
          provoke: { query: { starting_after: 3 } },
        },
      },
    },
    cancelResponse: {
      description:
        'Stops a background response, and waits until it has ended. What was produced is charged and kept. A response that has ended is returned as it is.',
      path: { id: ID },
      examples: [
        {
          title: 'Cancel a background response',
          path: { id: new ExampleResult('createResponse', 'id') },
          notSent: 'it may be completed before it is cancelled',
          partial: true,
          answer: { ...response, status: 'cancelled', background: true, output: [] },
        },
      ],
      errors: {
        response_not_found,
        invalid_parameter: {
          detail: 'Only a background response can be cancelled. Close the connection to stop any other call.',
          param: 'response_id',
          provoke: { path: { id: new ExampleResult('createResponse', 'id') } },
        },
      },
    },
    deleteResponse: {
      description:
        'Deletes the response with its input and output. A background response that is running is cancelled first. Later calls cannot continue it with `previous_response_id`.',
      path: { id: ID },
      examples: [
        {
          title: 'Delete a response',
          path: { id: new ExampleResult('createResponse', 'id', { fresh: true }) },
          answer: { id, object: 'response', deleted: true },
        },
      ],
      errors: { response_not_found },
    },
    listInputItems: {
      description: 'Lists what the request of a kept response sent as `input`, the newest first.',
      path: { id: ID },
      examples: [
        {
          title: 'A prompt',
          path: { id: new ExampleResult('createResponse', 'id') },
          answer: listOfOne({
            id: 'msg_01kdm5x8r2b6e0h4m8q2t6vycg',
            type: 'message',
            status: 'completed',
            role: 'user',
            content: [{ type: 'input_text', text: 'Reply with exactly: It works' }],
          }),
        },
      ],
      errors: {
        response_not_found,
        invalid_parameter: limitTooHigh(100),
      },
    },
  },
};
