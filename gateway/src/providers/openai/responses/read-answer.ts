/** Reads a whole response. Items of tools that the provider runs itself are left out. Pure. */
import { type Json, listOf, parseObject, textOf } from '../../../json/read-json.ts';
import { imageOfItem } from '../../../text/formats/responses/image-item.ts';
import { ownProof } from '../../../text/formats/responses/sealed-proof.ts';
import type { OutputPart } from '../../../text/text-call.ts';
import type { TextResult } from '../../../text/text-result.ts';
import { mapResponsesFinish } from './map-finish-reason.ts';
import { readResponsesUsage, seenResponsesDetails } from './read-usage.ts';

/** Joins the parts of a reasoning summary, which other formats carry as one text. */
export const PART_BREAK = '\n\n';

/** Null when the body is not a response, or one that failed. */
export function readResponsesAnswer(body: Buffer): TextResult | null {
  const json = parseObject(body.toString('utf8'));
  if (json === null || !Array.isArray(json.output) || json.status === 'failed') return null;
  const parts = listOf(json.output).flatMap(readResponseItem);
  const finish = mapResponsesFinish(
    json,
    parts.some((part) => part.type === 'tool_call'),
  );
  const usage = readResponsesUsage(json);
  const seen = usage === null ? { seenDetails: seenResponsesDetails(json, listOf(json.output)) } : {};
  return { answers: [{ parts, finish }], usage, ...seen };
}

export function readResponseItem(item: Json): OutputPart[] {
  switch (item.type) {
    case 'message':
      return listOf(item.content).flatMap((part): OutputPart[] => {
        if (part.type === 'refusal') return [{ type: 'refusal', text: textOf(part.refusal) }];
        return textOf(part.text) === '' ? [] : [{ type: 'text', text: textOf(part.text) }];
      });
    case 'reasoning': {
      const text = reasoningOf(item);
      const sealed = textOf(item.encrypted_content);
      const proof = sealed === '' ? null : ownProof(textOf(item.id), sealed);
      return text === '' && proof === null ? [] : [{ type: 'reasoning', text, proof }];
    }
    case 'function_call': {
      const { call_id: id, name, arguments: args } = item;
      return [
        { type: 'tool_call', id: textOf(id), name: textOf(name), arguments: textOf(args), proof: null },
      ];
    }
    case 'custom_tool_call': {
      const { call_id: id, name, input } = item;
      const call = { id: textOf(id), name: textOf(name), arguments: textOf(input) };
      return [{ type: 'tool_call', ...call, proof: null, isText: true }];
    }
    case 'image_generation_call': {
      const image = imageOfItem(item);
      return image === null ? [] : [{ type: 'image', ...image }];
    }
    default:
      return [];
  }
}

/** The summary; servers that show the full reasoning put it in the content. */
function reasoningOf(item: Json): string {
  const summary = listOf(item.summary);
  return (summary.length > 0 ? summary : listOf(item.content))
    .map((part) => textOf(part.text))
    .join(PART_BREAK);
}
