/** A provider of videos with an interface of its own, as there are many: what its endpoints have in common. */
import { type Dialect, type FaultStatus, oneHeader } from '../dialect.ts';
import { Refusal } from '../refusal.ts';

const PREFIX = 'Key ';

export const generic: Dialect = {
  host: 'api.video.example',
  speaks: (path) => path.startsWith('/generic/'),
  readKey(headers) {
    const key = oneHeader(headers, 'x-video-key');
    return key?.startsWith(PREFIX) ? key.slice(PREFIX.length) : null;
  },
  replyHeaders: (requestId) => ({ 'x-request-id': requestId }),
  writeRefusal: ({ message, code }) =>
    JSON.stringify({ fault: { kind: code ?? 'bad_request', text: message } }),
  refusalFrame: ({ message }) => `${message}\n`,
  missingKey: () => new Refusal(401, 'There is no key in x-video-key.', { code: 'no_key' }),
  wrongKey: (key) =>
    new Refusal(401, `The key ${key} is not known at api.video.example.`, { code: 'bad_key' }),
  unknownPath: (method, path) => new Refusal(404, `There is no ${method} ${path}.`, { code: 'not_found' }),
  wrongMethod: (method, path) => new Refusal(405, `There is no ${method} ${path}.`, { code: 'not_found' }),
  failWith: (status) => new Refusal(status, failures[status] ?? 'Something went wrong.', { code: 'failure' }),
  midStreamStatus: 500,
  modelsPath: '/generic/models',
  writeModels: (names) => JSON.stringify({ models: names }),
};

const failures: Partial<Record<FaultStatus, string>> = {
  429: 'Too many jobs of acct_9tZq4LwXk2 at once.',
  500: 'Our render farm at https://farm.video.example is on fire.',
};
