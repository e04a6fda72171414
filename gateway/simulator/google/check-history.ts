/** The rules of order between contents: how calls of functions, their responses and signatures pair. */
import { type Json, record } from '../json.ts';
import type { ModelRules } from './model-rules.ts';
import { invalid } from './refusals.ts';
import { isSignature } from './thought-signature.ts';

export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly Json[];
}

export function checkHistory(contents: readonly Content[], rules: ModelRules): void {
  contents.forEach((content, index) => {
    checkSignatures(content);
    const before = contents[index - 1];
    const calls = count(content, 'functionCall');
    const responses = count(content, 'functionResponse');
    if (calls > 0 && before?.role !== 'user') {
      throw invalid(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    }
    if (calls > 0 && index < contents.length - 1) checkAnswered(calls, contents[index + 1] as Content);
    if (responses > 0 && (before === undefined || count(before, 'functionCall') === 0)) {
      throw invalid(
        'Please ensure that function response turn comes immediately after a function call turn.',
      );
    }
  });
  if (rules.signsCalls) checkSigned(contents);
}

function checkAnswered(calls: number, next: Content): void {
  if (count(next, 'functionResponse') === calls) return;
  throw invalid(
    'Please ensure that the number of function response parts is equal to the number of function call parts ' +
      'of the function call turn.',
  );
}

function checkSignatures(content: Content): void {
  for (const { thoughtSignature } of content.parts) {
    if (thoughtSignature !== undefined && !isSignature(thoughtSignature)) {
      throw invalid('Corrupted thought signature.');
    }
  }
}

/** Calls since the user last spoke have to come back signed, the first of each turn at least. */
function checkSigned(contents: readonly Content[]): void {
  const from = contents.findLastIndex(
    (content) => content.role === 'user' && count(content, 'functionResponse') === 0,
  );
  contents.slice(from + 1).forEach((content, index) => {
    const place = content.parts.findIndex((part) => part.functionCall !== undefined);
    const part = content.parts[place];
    if (part === undefined || part.thoughtSignature !== undefined) return;
    throw invalid(
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work ' +
        'correctly, and missing thought_signature may lead to degraded model performance. Additional data, function ' +
        `call \`default_api:${record(part.functionCall)?.name}\` , position ${from + index + 2}.`,
    );
  });
}

function count(content: Content, name: string): number {
  return content.parts.filter((part) => part[name] !== undefined).length;
}
