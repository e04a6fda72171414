/** The official OpenAI library, unmodified: chat completions and responses. */
import { openaiChat } from './clients/openai-chat.ts';
import { openaiResponses } from './clients/openai-responses.ts';
import { describeClient } from './clients/promises.ts';

describeClient('the OpenAI library', [openaiChat, openaiResponses]);
