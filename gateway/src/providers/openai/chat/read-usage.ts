/**
 * The token counts of a chat completion. The shape is the one of our own chat format, so the relay and this
 * dialect share one reader. Pure.
 */
export { readChatUsage } from '../../../text/formats/chat/read-usage.ts';
