/**
 * The helpers of the official libraries, unmodified, on models as strict as the real ones: their own tool runners, answers
 * that fit a schema, and thinking, each asked for in the way of the library.
 */
import { oneEngine } from '../support/engines.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { describeStrictly } from './strict-promises.ts';

describeStrictly(oneEngine('postgres', 'client libraries'), [openaiChat, openaiResponses, anthropicMessages]);
