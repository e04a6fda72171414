/** The official Anthropic library, unmodified. */
import { anthropicMessages } from './clients/anthropic-messages.ts';
import { describeClient } from './clients/promises.ts';

describeClient('the Anthropic library', [anthropicMessages]);
