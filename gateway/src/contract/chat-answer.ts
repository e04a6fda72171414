/** The answer of `POST /v1/chat/completions`: the completion and the chunks of a stream. */
import { Type } from 'typebox';
import { ChatToolCall } from './chat.ts';
import { EstimatedCost } from './cost.ts';
import { nullable } from './schema.ts';

export const ChatUsage = Type.Object(
  {
    prompt_tokens: Type.Integer({ description: 'Tokens of the prompt, those from the cache included.' }),
    completion_tokens: Type.Integer({ description: 'Tokens of the answer, reasoning included.' }),
    total_tokens: Type.Integer({ description: 'The sum of both.' }),
  },
  { description: 'The tokens of the call.' },
);

const FinishReason = Type.Union(
  [Type.Literal('stop'), Type.Literal('length'), Type.Literal('tool_calls'), Type.Literal('content_filter')],
  {
    description:
      'Why the answer ended: complete, cut at the token limit, tools are to be called, or blocked by a filter.',
  },
);

const id = Type.String({ description: 'The id of the completion.' });
const created = Type.Integer({ description: 'When it was created, in Unix seconds.' });
const model = Type.String({ description: 'The model code of the request.' });
const index = Type.Integer({ description: 'Which of the `n` answers this is, from 0.' });

const serviceTier = Type.Optional(
  nullable(
    Type.String({
      description:
        'The tier in which the call was served, such as `default` or `priority`; null if this format has no name for it.',
    }),
  ),
);

export const ChatCompletion = Type.Object(
  {
    id,
    object: Type.Literal('chat.completion', { description: 'Always `chat.completion`.' }),
    created,
    model,
    choices: Type.Array(
      Type.Object({
        index,
        message: Type.Object(
          {
            role: Type.Literal('assistant', { description: 'Always `assistant`.' }),
            content: nullable(Type.String({ description: 'The text of the answer; null if there is none.' })),
            images: Type.Optional(
              Type.Array(
                Type.Object({
                  image_url: Type.Object(
                    { url: Type.String({ description: 'The image as a data URL.' }) },
                    { description: 'Where the image is.' },
                  ),
                }),
                { description: 'The images that the model created.' },
              ),
            ),
            tool_calls: Type.Optional(
              Type.Array(ChatToolCall, { description: 'The calls that the model asks for.' }),
            ),
          },
          { description: 'The answer as a message, ready to be added to the conversation.' },
        ),
        finish_reason: FinishReason,
      }),
      { description: 'The answers, as many as `n`.' },
    ),
    service_tier: serviceTier,
    usage: Type.Optional(ChatUsage),
    estimated_cost: EstimatedCost,
  },
  { description: 'A whole answer.' },
);

export const ChatCompletionChunk = Type.Object(
  {
    id,
    object: Type.Literal('chat.completion.chunk', { description: 'Always `chat.completion.chunk`.' }),
    created,
    model,
    choices: Type.Array(
      Type.Object({
        index,
        delta: Type.Object(
          {},
          { description: 'What is added to the message: `content`, `tool_calls` or `role`.' },
        ),
        finish_reason: nullable(FinishReason),
      }),
      { description: 'The changes to each answer.' },
    ),
    service_tier: serviceTier,
    usage: Type.Optional(nullable(ChatUsage)),
    estimated_cost: Type.Optional(EstimatedCost),
  },
  { description: 'A piece of a streamed answer. The stream ends with `data: [DONE]`.' },
);
