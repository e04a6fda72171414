import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import { openRoute } from './define-route.ts';
import { Router } from './router.ts';

function routeAt(method: 'GET' | 'POST', path: string) {
  const endpoint: Endpoint = { ...endpoints.getHealth, method, path };
  return openRoute('getHealth', endpoint, () => undefined);
}

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
