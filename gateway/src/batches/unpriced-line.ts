/** What an upload needs to know of a line: whether it asks for something without a price, and its size. */
import type { Principal } from '../access/principal.ts';
import type { LineFacts } from '../batch-files/check-batch-line.ts';
import type { UploadTools } from '../batch-files/upload-batch-file.ts';
import type { CallTools } from '../calls/call-tools.ts';
import { checkAskedPrices } from '../calls/check-asked-prices.ts';
import { type RowFault, rowFault } from '../contract/batch-lines/row-fault.ts';
import type { ChatRequest } from '../contract/chat.ts';
import type { ResponsesRequest } from '../contract/responses.ts';
import { Problem } from '../kernel/problem.ts';
import { chatFormat } from '../text/formats/chat/chat.ts';
import { responsesFormat } from '../text/formats/responses/responses.ts';
import { roughLineSize } from './line-parts.ts';

/** `bytes` of a line are not known here; they only decide between prices by length. */
const LINE_BYTES = 0;

type PriceTools = Pick<CallTools, 'providers' | 'clock'>;

export function lineRules(tools: PriceTools): Pick<UploadTools, 'checkLinePrices' | 'sizeOf'> {
  return { checkLinePrices: checkLinePrices(tools), sizeOf: roughLineSize };
}

/** Rejects a line as a single call is rejected. */
function checkLinePrices({
  providers,
  clock,
}: PriceTools): (facts: LineFacts, principal: Principal) => RowFault | null {
  return ({ endpoint, body, model }, principal) => {
    const of = { principal, model, bytes: LINE_BYTES, at: clock.now(), batch: true };
    try {
      // The body is not checked against its shape before it runs; what is read here may be anything.
      if (endpoint === 'chat')
        checkAskedPrices({ ...of, format: chatFormat, request: body as ChatRequest }, providers);
      if (endpoint === 'responses')
        checkAskedPrices({ ...of, format: responsesFormat, request: body as ResponsesRequest }, providers);
      return null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const field = `body.${error.param}`;
      const part = String(error.facts?.missing ?? '');
      return rowFault(['price_missing', field], 'price_missing', { field, part, model: model.code });
    }
  };
}
