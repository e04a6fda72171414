import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import { openRoute } from './define-route.ts';
import { Router } from './router.ts';

function routeAt(method: 'GET' | 'POST', path: string) {
  const endpoint: Endpoint = { ...endpoints.getHealth, method, path };
  return openRoute('getHealth', endpoint, () => undefined);
}

describe('a path that ends in a model code', () => {
  const endpoint: Endpoint = { ...endpoints.getHealth, path: '/v1/models/{id}', slashes: true };
  const router = new Router([
    openRoute('getHealth', endpoint, () => undefined),
    routeAt('GET', '/v1/models'),
  ]);

  test.each([
    ['/v1/models/sim-chat', 'sim-chat'],
    ['/v1/models/meta/llama-4.1:free?x=1', 'meta/llama-4.1:free'],
    ['/v1/models/meta%2Fllama', 'meta/llama'],
    ['/v1/models/a//b/', 'a//b/'],
  ])('%s is the model %s', (url, id) => {
    expect(router.find('GET', url).params).toEqual({ id });
  });

  test.each(['/v1/models/', '/v1/models/%ff', '/v1/model/a/b'])('%s is not found', (url) => {
    expect(() => router.find('GET', url)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  test('the list has its own path', () => {
    expect(router.find('GET', '/v1/models').params).toEqual({});
  });
});

describe('paths whose ids begin in a certain way', () => {
  const endpoint: Endpoint = { ...endpoints.getResponse, path: '/v1/responses/{id}', ids: 'resp' };
  const router = new Router([openRoute('getResponse', endpoint, () => undefined)]);

  test.each(['compact', 'input_tokens', 'responses', 'resp'])('POST to the word %s is not found', (word) => {
    expect(() => router.find('POST', `/v1/responses/${word}`)).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
  });

  test('another method for an id is not allowed', () => {
    expect(() => router.find('POST', '/v1/responses/resp_1')).toThrow(
      expect.objectContaining({ code: 'method_not_allowed' }),
    );
  });

  test('the endpoint itself answers for any text, so that a wrong id is like a missing one', () => {
    expect(router.find('GET', '/v1/responses/compact').params).toEqual({ id: 'compact' });
  });
});

describe('paths with parameters', () => {
  const router = new Router([
    routeAt('GET', '/v1/files/{id}'),
    routeAt('GET', '/v1/files/{id}/content'),
    routeAt('POST', '/v1/files'),
    routeAt('POST', '/v1/batches/{id}/cancel'),
  ]);

  test.each([
    ['/v1/files/file_1', '/v1/files/{id}', { id: 'file_1' }],
    ['/v1/files/file_1/content?x=1', '/v1/files/{id}/content', { id: 'file_1' }],
    ['/v1/files/a%2Fb', '/v1/files/{id}', { id: 'a/b' }],
  ])('%s is %s', (url, path, params) => {
    const found = router.find('GET', url);
    expect(found.route.endpoint.path).toBe(path);
    expect(found.params).toEqual(params);
  });

  test.each(['/v1/files/', '/v1/files//content', '/v1/files/%ff', '/v1/files/a/b/c', '/v1/files/../x/y'])(
    '%s is not found',
    (url) => {
      expect(() => router.find('GET', url)).toThrow(expect.objectContaining({ code: 'not_found' }));
    },
  );

  test('an unsupported method gets an error that names the supported ones', () => {
    expect(() => router.find('GET', '/v1/batches/b/cancel')).toThrow(
      expect.objectContaining({ code: 'method_not_allowed' }),
    );
    expect(router.allowed('/v1/batches/b/cancel')).toBe('POST');
    expect(() => router.find('GET', '/files/f')).toThrow(/Did you mean \/v1\/files\/f/);
  });
});
