/** What the `video:` of a provider may say, and what is said to who got it wrong. */
import { expect, test } from 'vitest';
import { readConfigFile } from '../../../config/config-file.ts';
import { ConfigError } from '../../../yaml/config-error.ts';
import { readCatalog } from '../../read-catalog.ts';

const VIDEO = `
      create:
        path: /jobs
        body: |
          { "prompt": "{{prompt}}", "ref": "{{client_id}}", "image": { "url": "{{image_url}}" }, "steps": 30 }
        id: /id
      status:
        path: /jobs/{id}
        state: /state
        states: { succeeded: [done], failed: [error] }
        files: /files
      lookup: { path: "/jobs?ref={client_id}", jobs: "" }`;

function fileWith(video: string, more: { dialect?: string; endpoints?: string } = {}): string {
  const { dialect = 'http-video', endpoints = '[video]' } = more;
  return `
providers:
  acme:
    dialect: ${dialect}
    base_url: https://api.acme.example
    api_key: k
    ${video === '' ? '' : `video:${video}`}
models:
  film: { endpoints: ${endpoints}, routes: [{ provider: acme, model: film-1 }] }
`;
}

const read = (text: string) => readCatalog(readConfigFile(text, {}), 0);

test('an entry needs only what differs from the defaults', () => {
  const [provider] = read(fileWith(VIDEO)).providers;
  expect(provider?.video).toMatchObject({
    auth: { header: 'authorization', prefix: 'Bearer ' },
    inputs: 'data_url',
    create: { path: '/jobs', id: ['id'], body: { steps: 30 }, idempotencyHeader: null },
    status: {
      states: new Map([
        ['done', 'succeeded'],
        ['error', 'failed'],
      ]),
      progress: null,
      progressOf: 100,
    },
    lookup: { path: '/jobs?ref={client_id}', jobs: [] },
    cancel: null,
  });
});

test.each([
  [VIDEO.replace('path: /jobs\n', 'path: jobs\n'), /create\.path must start with a slash/],
  [VIDEO.replace('/jobs/{id}', '/jobs'), /status\.path must have \{id\}/],
  [VIDEO.replace('/jobs/{id}', '/jobs/{id}/{space}'), /status\.path has \{space\} in it; known here: \{id\}/],
  [VIDEO.replace('path: /jobs\n', 'path: /jobs/{id}\n'), /create\.path has \{id\} in it; no word can stand/],
  [VIDEO.replace('ref={client_id}', 'ref=x'), /lookup\.path must have \{client_id\}/],
  [VIDEO.replace('state: /state', 'state: state'), /status\.state is not a JSON pointer/],
  [VIDEO.replace('id: /id', 'id: $.id'), /create\.id is not a JSON pointer/],
  [VIDEO.replace('"steps": 30', '"steps": '), /create\.body is not a JSON object/],
  [VIDEO.replace('{{prompt}}', '{{promt}}'), /\{\{promt\}\} in it; did you mean \{\{prompt\}\}\?/],
  [VIDEO.replace('{{prompt}}', 'x'), /must have \{\{prompt\}\}/],
  [VIDEO.replace('{{image_url}}', 'see {{image_url}}'), /\{\{image_url\}\} must be the whole string/],
  [VIDEO.replace('{{client_id}}', 'x'), /lookup needs the provider to know our id/],
  [VIDEO.replace('failed: [error]', 'failed: [done]'), /done is mapped to both succeeded and failed/],
  [VIDEO.replace(', failed: [error]', ''), /states\.failed must name a state/],
  [
    VIDEO.replace('state: /state', 'stat: /state'),
    /unknown key providers\.acme\.video\.status\.stat: did you mean state/,
  ],
  [`${VIDEO}\n      auth: { header: "x y" }`, /"x y" is not a valid header name/],
  [`${VIDEO}\n      inputs: carrier_pigeon`, /inputs/],
  ['', /providers\.acme\.video is required/],
])('invalid entry %# is rejected', (video, message) => {
  expect(() => read(fileWith(video))).toThrow(ConfigError);
  expect(() => read(fileWith(video))).toThrow(message);
});

test('video settings are only for the dialect http-video, which supports only videos', () => {
  expect(() => read(fileWith(VIDEO, { dialect: 'openai' }))).toThrow(/only for the dialect http-video/);
  expect(() => read(fileWith(VIDEO, { endpoints: '[video, chat]' }))).toThrow(
    /models\.film\.endpoints must be \[video\]: its provider acme/,
  );
});
