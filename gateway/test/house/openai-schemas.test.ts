/** The published schemas bite: what a client of OpenAI could not read is found, and by its place. */
import { describe, expect, test } from 'vitest';
import {
  batch,
  changed,
  chunk,
  completion,
  delta,
  embeddings,
  error,
  file,
  message,
  models,
  response,
  toolCall,
} from '../support/openai-samples.ts';
import {
  checkBatch,
  checkChatChunk,
  checkChatCompletion,
  checkEmbeddings,
  checkErrorBody,
  checkFile,
  checkImages,
  checkModelList,
  checkResponse,
  checkResponseEvent,
} from '../support/openai-schemas.ts';

describe('accepts', () => {
  test.each([
    ['a completion', checkChatCompletion, completion],
    ['a completion with fields of our own', checkChatCompletion, { ...completion, estimated_cost: '0.1' }],
    [
      'a completion of tool calls',
      checkChatCompletion,
      changed(completion, 'choices.0.message', {
        ...completion.choices[0]?.message,
        content: null,
        tool_calls: [toolCall],
      }),
    ],
    ['a chunk', checkChatChunk, chunk],
    [
      'a last chunk with usage and no choices',
      checkChatChunk,
      { ...chunk, choices: [], usage: completion.usage },
    ],
    [
      'a last chunk with both',
      checkChatChunk,
      changed({ ...chunk, usage: completion.usage }, 'choices.0.finish_reason', 'stop'),
    ],
    [
      'a chunk of a tool call',
      checkChatChunk,
      changed(chunk, 'choices.0.delta', { tool_calls: [{ index: 0, function: { arguments: '{"' } }] }),
    ],
    ['a response', checkResponse, response],
    ['a text delta', checkResponseEvent, delta],
    [
      'the beginning of a response',
      checkResponseEvent,
      {
        type: 'response.created',
        response: { ...response, status: 'in_progress', output: [] },
        sequence_number: 0,
      },
    ],
    [
      'an item',
      checkResponseEvent,
      { type: 'response.output_item.done', output_index: 0, item: message, sequence_number: 7 },
    ],
    [
      'an error event',
      checkResponseEvent,
      { type: 'error', code: null, message: 'Gone.', param: null, sequence_number: 3 },
    ],
    ['embeddings', checkEmbeddings, embeddings],
    ['images', checkImages, { created: 1_713_833_628, data: [{ b64_json: 'iVBO' }] }],
    ['models', checkModelList, models],
    ['a batch', checkBatch, batch],
    ['a file', checkFile, file],
    ['an error', checkErrorBody, { error }],
  ] as const)('%s', (_name, check, value) => {
    expect(() => check(value)).not.toThrow();
  });
});

describe('finds', () => {
  test.each([
    [
      'a required field missing',
      checkChatCompletion,
      changed(completion, 'choices.0.message.refusal', undefined),
      'choices[0].message.refusal is required',
    ],
    [
      'a required field missing at the top',
      checkChatChunk,
      changed(chunk, 'created', undefined),
      'created is required',
    ],
    [
      'a wrong type',
      checkChatCompletion,
      changed(completion, 'usage.prompt_tokens', '19'),
      'usage.prompt_tokens must be an integer',
    ],
    [
      'a fraction where an integer belongs',
      checkChatCompletion,
      changed(completion, 'created', 1.5),
      'created must be an integer',
    ],
    [
      'a null that is not allowed',
      checkChatChunk,
      changed(chunk, 'choices', null),
      'choices must be an array',
    ],
    [
      'a value out of the list',
      checkChatCompletion,
      changed(completion, 'choices.0.finish_reason', 'end_turn'),
      'choices[0].finish_reason must be one of "stop", "length"',
    ],
    [
      'a wrong object',
      checkChatChunk,
      { ...chunk, object: 'chat.completion' },
      'object must be "chat.completion.chunk", not "chat.completion"',
    ],
    [
      'a tool call of a kind unknown',
      checkChatCompletion,
      changed(completion, 'choices.0.message.tool_calls', [{ ...toolCall, type: 'magic' }]),
      'choices[0].message.tool_calls[0].type must be one of "function", "custom", not "magic"',
    ],
    ['no value at all', checkResponse, undefined, 'the value must be an object'],
    [
      'a response without what its parts require',
      checkResponse,
      changed(response, 'tool_choice', undefined),
      'tool_choice is required',
    ],
    [
      'a wrong type in what a response shares with others',
      checkResponse,
      changed(response, 'metadata', { team: 7 }),
      'metadata.team must be a string',
    ],
    [
      'the fault in the item that its type says',
      checkResponse,
      changed(response, 'output.1.content.0.annotations', undefined),
      'output[1].content[0].annotations is required',
    ],
    [
      'an item of a kind unknown',
      checkResponse,
      changed(response, 'output.2.type', 'tool_use'),
      'output[2].type must be one of "message", ',
    ],
    [
      'a tool without its name',
      checkResponse,
      changed(response, 'tools.0.name', undefined),
      'tools[0].name is required',
    ],
    [
      'an event of a kind unknown',
      checkResponseEvent,
      { ...delta, type: 'response.text.delta' },
      'type must be one of "response.audio.delta", ',
    ],
    ['an event without a type', checkResponseEvent, { ...delta, type: undefined }, 'type must be one of '],
    ['an event that is not an object', checkResponseEvent, '[DONE]', 'the value must be an object'],
    [
      'an event without its number',
      checkResponseEvent,
      { ...delta, sequence_number: undefined },
      'sequence_number is required',
    ],
    [
      'a fault in the response of an event',
      checkResponseEvent,
      {
        type: 'response.completed',
        sequence_number: 9,
        response: changed(response, 'usage.total_tokens', undefined),
      },
      'response.usage.total_tokens is required',
    ],
    [
      'an embedding that is no list of numbers',
      checkEmbeddings,
      changed(embeddings, 'data.0.embedding', [0.1, 'x']),
      'data[0].embedding[1] must be a number',
    ],
    ['images without a date', checkImages, { data: [] }, 'created is required'],
    [
      'a model without an owner',
      checkModelList,
      changed(models, 'data.0.owned_by', undefined),
      'data[0].owned_by is required',
    ],
    [
      'a batch in a state unknown',
      checkBatch,
      { ...batch, status: 'done' },
      'status must be one of "validating"',
    ],
    ['a file without a name', checkFile, { ...file, filename: undefined }, 'filename is required'],
    ['a file that is a list', checkFile, [file], 'the value must be an object'],
    [
      'an error without a type',
      checkErrorBody,
      { error: { ...error, type: undefined } },
      'error.type is required',
    ],
  ] as const)('%s', (_name, check, value, words) => {
    expect(() => check(value)).toThrow(words);
  });
});
