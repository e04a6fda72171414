/** The responses format: its functions in one object. */
import type { ResponsesRequest } from '../../../contract/responses.ts';
import type { TextFormat } from '../../text-format.ts';
import { responsesAskedParts } from './asked-parts.ts';
import { responsesFieldNames } from './field-names.ts';
import { readResponsesAddresses, readResponsesMediaTypes } from './read-addresses.ts';
import { readResponsesCall } from './read-call.ts';
import { readResponsesFeatures, readResponsesPrompt } from './read-features.ts';
import { relayResponsesRequest } from './relay-request.ts';
import { relayResponsesAnswer } from './relay-response.ts';
import { ResponsesStreamRelay } from './relay-stream.ts';
import { writeOutputItems, writeResponsesAnswer, writeResponsesHead } from './write-answer.ts';
import { ResponsesStreamWriter } from './write-stream.ts';

export const responsesFormat: TextFormat<ResponsesRequest> = {
  name: 'responses',
  fieldNames: responsesFieldNames,
  features: readResponsesFeatures,
  addresses: readResponsesAddresses,
  mediaTypes: readResponsesMediaTypes,
  promptTexts: readResponsesPrompt,
  askedParts: responsesAskedParts,
  readCall: readResponsesCall,
  relayRequest: relayResponsesRequest,
  relayAnswer: relayResponsesAnswer,
  relayStream: (context) => new ResponsesStreamRelay(context),
  writeAnswer: writeResponsesAnswer,
  writeStream: (context) => new ResponsesStreamWriter(context),
  outputItems: writeOutputItems,
  answerHead: writeResponsesHead,
};
