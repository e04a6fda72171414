import { textNow } from '../text/define-texts.ts';
import { CallFailed, failureOf } from './failure.ts';
import { apiTexts } from './texts.ts';

/** What a header may carry; fetch refuses the rest in words that help nobody. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;

/** Calls the gateway with a key. Resolves only to success; everything else is thrown. */
export async function askGateway(
  path: string,
  options: { key: string; signal: AbortSignal; body?: unknown; headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const { key, signal, body, headers } = options;
  if (!HEADER_TEXT.test(key)) {
    throw new CallFailed({ sentence: textNow(apiTexts, 'keyCharacters'), errorRef: null });
  }
  const authorization = `Bearer ${key}`;
  const response = await fetch(
    path,
    body === undefined
      ? { signal, headers: { ...headers, authorization } }
      : {
          signal,
          method: 'POST',
          headers: { ...headers, authorization, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
  );
  if (!response.ok) throw new CallFailed(await failureOf(response));
  return response;
}
