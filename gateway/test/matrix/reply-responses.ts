/** Reads responses, whole and streamed. */
import { expect } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { ResponseEvent as ResponseEventShape, ResponseObject } from '../../src/contract/responses-answer.ts';
import { checkResponse, checkResponseEvent } from '../support/openai-schemas.ts';
import { type Answer, amountOf, type Finish, type Said, type Usage } from './neutral-reply.ts';
import { type Item, type ResponseEvent, readItems } from './response-items.ts';
import { readJson, readSse } from './sse.ts';

interface UsageJson {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

interface ResponseJson {
  readonly id: string;
  readonly created_at: number;
  readonly model: string;
  readonly status: string;
  readonly output: readonly Item[];
  readonly incomplete_details: { readonly reason: string } | null;
  readonly error: unknown;
  readonly usage: UsageJson | null;
  readonly estimated_cost?: { amount: string; currency: string } | null;
}

type Event = ResponseEvent & { readonly sequence_number: number; readonly response: ResponseJson };

const wholeShape = new Shape(ResponseObject);
const eventShape = new Shape(ResponseEventShape);

export function readResponsesWhole(json: unknown, model: string): Said {
  checkResponse(json);
  expect(wholeShape.error(json)).toBeNull();
  const response = json as ResponseJson;
  expect(response).toMatchObject({ object: 'response', model, id: expect.stringMatching(/^resp_/) });
  return saidIn(response);
}

export function readResponsesStream(text: string, expected: { model: string }): Said {
  const events = readSse(text).map(({ event, data }) => {
    const json = readJson<Event>(data);
    checkResponseEvent(json);
    expect(eventShape.error(json)).toBeNull();
    expect(json.type, 'the event line names the type').toBe(event);
    return json;
  });
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, i) => i));
  const [created, begun, ...middle] = events;
  const last = middle.pop();
  expect(created?.type).toBe('response.created');
  expect(begun?.type).toBe('response.in_progress');
  const { response } = created as Event;
  expect(begun?.response).toEqual(response);
  expect(response).toMatchObject({
    ...{ id: expect.stringMatching(/^resp_/), model: expected.model, status: 'in_progress' },
    ...{ output: [], usage: null, error: null, incomplete_details: null },
  });
  const end = last?.response as ResponseJson;
  expect(last?.type, 'the last event says how it ended').toBe(`response.${end.status}`);
  const { id, created_at, model } = response;
  expect(end).toMatchObject({ id, created_at, model });
  const priced = events.filter((event) => JSON.stringify(event).includes('"estimated_cost":{'));
  expect(priced, 'the cost comes once, at the end').toEqual([last]);
  expect(readItems(middle), 'the items at the end are those that were streamed').toEqual(end.output);
  checkResponse(end);
  expect(wholeShape.error(end)).toBeNull();
  return saidIn(end);
}

function saidIn(response: ResponseJson): Said {
  const { usage } = response;
  const penalties = { frequency_penalty: expect.any(Number), presence_penalty: expect.any(Number) };
  expect(response, 'clients of the open schema read these').toMatchObject(penalties);
  expect(response.error).toBeNull();
  return {
    id: response.id,
    answers: [answerOf(response)],
    usage: usage === null ? null : usageOf(usage),
    cost: amountOf(response.estimated_cost),
    echo: response.output,
  };
}

function answerOf(response: ResponseJson): Answer {
  const of = (type: string): Item[] => response.output.filter((item) => item.type === type);
  const ids = response.output.map((item) => item.id);
  expect(new Set(ids).size, 'every item has an id of its own').toBe(ids.length);
  const parts = of('message').flatMap((item) => item.content ?? []);
  const calls = of('function_call');
  return {
    text: parts.map((part) => part.text ?? '').join(''),
    reasoning: of('reasoning')
      .flatMap((item) => item.summary ?? [])
      .map((part) => part.text)
      .join(''),
    refusal: parts.map((part) => part.refusal ?? '').join(''),
    toolCalls: calls.map((item) => ({
      ...{ id: item.call_id ?? '', name: item.name ?? '', arguments: item.arguments ?? '' },
    })),
    images: of('image_generation_call').map((item) => `data:image/png;base64,${item.result}`),
    finish: finishOf(response, calls.length > 0),
    stopSequence: null,
  };
}

function finishOf({ status, incomplete_details: details }: ResponseJson, calls: boolean): Finish {
  if (status === 'completed') {
    expect(details).toBeNull();
    return calls ? 'tool_calls' : 'stop';
  }
  expect(status).toBe('incomplete');
  if (details?.reason === 'content_filter') return 'content_filter';
  expect(details).toEqual({ reason: 'max_output_tokens' });
  return 'length';
}

function usageOf(usage: UsageJson): Usage {
  expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
  return {
    input: usage.input_tokens,
    cached: usage.input_tokens_details.cached_tokens,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details.reasoning_tokens,
  };
}
