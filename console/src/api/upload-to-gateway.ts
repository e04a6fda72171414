/** Uploads a form with a key, and tells how much of it has left. */
import { CallFailed, failureOf } from './failure.ts';

interface Upload {
  readonly key: string;
  readonly form: FormData;
  readonly signal: AbortSignal;
  /** Sent again with the same one, it is carried out once. */
  readonly repeatKey?: string;
  /** From 0 to 1. */
  onProgress(share: number): void;
}

/** Resolves to the answer; everything that is not a success is thrown. Only this old interface tells the progress. */
export async function uploadToGateway<Answer>(path: string, upload: Upload): Promise<Answer> {
  const { key, form, signal, repeatKey, onProgress } = upload;
  const response = await new Promise<Response>((resolve, reject) => {
    const request = new XMLHttpRequest();
    const leave = (): void => request.abort();
    request.open('POST', path);
    request.setRequestHeader('authorization', `Bearer ${key}`);
    if (repeatKey !== undefined) request.setRequestHeader('idempotency-key', repeatKey);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onload = () => resolve(new Response(request.responseText, { status: request.status }));
    request.onerror = () => reject(new TypeError('the upload failed'));
    request.onabort = () => reject(new DOMException('stopped', 'AbortError'));
    request.onloadend = () => signal.removeEventListener('abort', leave);
    signal.addEventListener('abort', leave);
    request.send(form);
  });
  if (!response.ok) throw new CallFailed(await failureOf(response));
  return (await response.json()) as Answer;
}
