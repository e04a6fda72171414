import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from './secret.ts';

const CANARY = 'sk_canary_0123456789';
const secret = new Secret(CANARY);
const holder = { name: 'provider', key: secret, nested: { list: [secret] }, map: new Map([['k', secret]]) };

describe('a secret', () => {
  it('is given away by reveal() and by nothing else', () => {
    expect(secret.reveal()).toBe(CANARY);
    expect(new Secret('').empty).toBe(true);
    expect(secret.empty).toBe(false);
  });

  it.each<[string, () => string]>([
    ['String()', () => String(secret)],
    ['a template', () => `${secret}`],
    ['joining', () => [secret, secret].join()],
    ['concatenation', () => `${'key='.concat(secret as unknown as string)}`],
    ['JSON', () => JSON.stringify(secret)],
    ['JSON of what holds it', () => JSON.stringify(holder)],
    ['inspect', () => inspect(secret)],
    ['inspect of what holds it', () => inspect(holder, { depth: null })],
    ['format %s', () => format('%s', secret)],
    ['format %j', () => format('%j', secret)],
    ['format %o', () => format('%o', secret)],
    ['format %O', () => format('%O', holder)],
    ['the console', () => printed((console) => console.log('key', secret, holder))],
    ['the message of an error', () => inspect(new Error(`bad key ${secret}`, { cause: secret }))],
  ])('prints as [secret] through %s', (_way, print) => {
    expect(print()).toContain('[secret]');
    expect(print()).not.toContain('canary');
  });

  it.each<[string, () => string]>([
    [
      'inspect that ignores custom printing',
      () => inspect(holder, { customInspect: false, showHidden: true, depth: 9 }),
    ],
    ['a table', () => printed((console) => console.table([holder]))],
    ['dir', () => printed((console) => console.dir(holder, { showHidden: true, depth: 9 }))],
    ['its own properties', () => JSON.stringify(Object.getOwnPropertyDescriptors(secret))],
    ['a spread', () => JSON.stringify({ ...secret })],
    ['a structured clone', () => inspect(structuredClone(secret), { showHidden: true })],
    ['a number', () => String(Number(secret))],
  ])('does not show through %s', (_way, print) => {
    expect(print()).not.toContain('canary');
  });
});

function printed(work: (console: Console) => void): string {
  let text = '';
  const stdout = new Writable({
    write(piece, _encoding, done) {
      text += String(piece);
      done();
    },
  });
  work(new Console({ stdout, stderr: stdout }));
  return text;
}
