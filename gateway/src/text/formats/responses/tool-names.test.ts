import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { toolNames } from './tool-names.ts';

type Request = Pick<ResponsesRequest, 'tools' | 'input'>;
const space = (name: string, ...inner: string[]) => ({
  type: 'namespace' as const,
  name,
  tools: inner.map((it) => ({ type: 'function', name: it })),
});
const plain = (name: string) => ({ type: 'function' as const, name });
const request = (...tools: object[]): Request => ({
  input: 'hi',
  tools: tools as NonNullable<Request['tools']>,
});

describe('a function of a namespace', () => {
  test('has a combined name that is split again', () => {
    const names = toolNames(request(space('multi_agent_v1', 'close_agent'), plain('shell')));
    const named = { namespace: 'multi_agent_v1', name: 'close_agent' };
    expect(names.join(named)).toBe('multi_agent_v1__close_agent');
    expect(names.split('multi_agent_v1__close_agent')).toEqual(named);
    expect(names.split('shell')).toBeNull();
    expect(names.split('close_agent')).toBeNull();
  });

  test.each<[string, Request, Array<[string, string]>]>([
    ['a function has the joined name', request(plain('a__b'), space('a', 'b')), [['a', 'b']]],
    [
      'two namespaces come to the same',
      request(space('a', 'b__c'), space('a__b', 'c')),
      [
        ['a', 'b__c'],
        ['a__b', 'c'],
      ],
    ],
    ['both are too long', request(space('n'.repeat(40), 'f'.repeat(40))), [['n'.repeat(40), 'f'.repeat(40)]]],
    [
      'they differ beyond what fits',
      request(space('n'.repeat(64), 'a', 'b')),
      [
        ['n'.repeat(64), 'a'],
        ['n'.repeat(64), 'b'],
      ],
    ],
    [
      'they hold what providers refuse',
      request(space('mcp.calc', 'add/2', 'add 2'), space('1st', 'f')),
      [
        ['1st', 'f'],
        ['mcp.calc', 'add/2'],
        ['mcp.calc', 'add 2'],
      ],
    ],
  ])('has a unique name that providers accept if %s', (_, given, expected) => {
    const names = toolNames(given);
    const joined = expected.map(([namespace, name]) => names.join({ namespace, name }));
    expect(new Set([...joined, 'a__b']).size).toBe(joined.length + 1);
    for (const [i, name] of joined.entries()) {
      expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
      const [namespace, inner] = expected[i] ?? [];
      expect(names.split(name)).toEqual({ namespace, name: inner });
    }
  });

  test('that was called before keeps its names even if it is no longer in the tools', () => {
    const input = [
      { type: 'function_call', call_id: 'c', namespace: 'mcp__calc', name: 'add', arguments: '{}' },
    ];
    const names = toolNames({ input: input as Request['input'], tools: [] });
    expect(names.split(names.join({ namespace: 'mcp__calc', name: 'add' }))).toEqual({
      namespace: 'mcp__calc',
      name: 'add',
    });
  });

  test('has a unique name, whatever the names are', () => {
    const name = fc.string({ minLength: 1, maxLength: 70, unit: fc.constantFrom('a', '_', 'b', '.') });
    const spaces = fc.array(fc.tuple(name, fc.uniqueArray(name, { maxLength: 3 })), { maxLength: 4 });
    fc.assert(
      fc.property(spaces, fc.array(name, { maxLength: 4 }), (given, functions) => {
        const names = toolNames(
          request(...given.map(([n, inner]) => space(n, ...inner)), ...functions.map(plain)),
        );
        for (const [namespace, inner] of given) {
          for (const one of inner) {
            const joined = names.join({ namespace, name: one });
            expect(names.split(joined)).toEqual({ namespace, name: one });
            expect(functions).not.toContain(joined);
          }
        }
      }),
    );
  });
});
