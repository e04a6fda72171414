/**
 * The token counts of a message. The shape is the one of our own messages format, so the relay and this dialect
 * share one reader. Pure.
 */
export { readMessagesUsage, StreamedUsage } from '../../text/formats/messages/read-usage.ts';
