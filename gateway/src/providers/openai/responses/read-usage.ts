/**
 * The token counts of a response. The shape is the one of our own responses format, so the relay and this
 * dialect share one reader. Pure.
 */
export { readResponsesUsage, seenResponsesDetails } from '../../../text/formats/responses/read-usage.ts';
