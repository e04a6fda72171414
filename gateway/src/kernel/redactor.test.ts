import { describe, expect, test } from 'vitest';
import { Redactor } from './redactor.ts';
import { Secret } from './secret.ts';

const KEY = 'sk-proj-Q7xZ/9k+Lm2Vw4Rt8Yb1Nc5';
const redactor = new Redactor();
redactor.add(new Secret(KEY));
redactor.add(new Secret('our-own-key'));
redactor.add(new Secret('AKIAQX7PZ4M2LW8T:s3cr3tPart/Of+Aws'));

const escaped = (write: (character: string) => string): string => [...KEY].map(write).join('');
const code = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');

describe('a secret is not seen', () => {
  test.each([
    ['as it is', KEY],
    ['in upper case', KEY.toUpperCase()],
    ['in lower case', KEY.toLowerCase()],
    ['encoded for an address', encodeURIComponent(KEY)],
    ['with every character encoded for an address', escaped((c) => `%${code(c)}`)],
    ['encoded for an address twice', encodeURIComponent(escaped((c) => `%${code(c)}`))],
    ['escaped for JSON', escaped((c) => `\\u00${code(c)}`)],
    ['escaped for JSON twice', escaped((c) => `\\\\u00${code(c)}`)],
    ['escaped for HTML', escaped((c) => `&#${c.charCodeAt(0)};`)],
    ['escaped for HTML in hexadecimal', escaped((c) => `&#x${code(c)};`)],
    ['in hexadecimal', Buffer.from(KEY).toString('hex')],
    ['in hexadecimal with colons', escaped((c) => `${code(c)}:`).slice(0, -1)],
    ['in base64', Buffer.from(KEY).toString('base64')],
    ['in base64 after one byte', Buffer.from(`:${KEY}`).toString('base64')],
    ['in base64 after two bytes', Buffer.from(`a:${KEY}@`).toString('base64')],
    ['in base64 for an address', Buffer.from(`user:${KEY}`).toString('base64url')],
    ['spaced out', escaped((c) => `${c} `).trimEnd()],
    ['broken over lines', KEY.replace(/(.{5})/g, '$1\n')],
    ['with line breaks that are escaped', KEY.replace(/(.{5})/g, '$1\\n')],
    ['with hyphens that are not shown', KEY.replace(/(.{3})/g, '$1\u00ad')],
    ['with spaces of no width', KEY.replace(/(.{3})/g, '$1\u200b')],
    ['in full-width letters', escaped((c) => String.fromCodePoint(c.charCodeAt(0) + 0xfee0))],
    ['reversed', [...KEY].reverse().join('')],
    ['without what is no letter', KEY.replace(/[^A-Za-z0-9]/g, '')],
    ['of lower-case letters alone', 'our-own-key'],
    ['that is one part of several', 's3cr3tPart/Of+Aws'],
  ])('%s', (_, written) => {
    const shown = redactor.redact(`Incorrect key ${written}. Ask again.`);
    expect(shown).toBe('Incorrect key [secret]. Ask again.');
  });

  test('in part: wherever it is cut, at most seven of its letters are left', () => {
    const letters = KEY.replace(/[^A-Za-z0-9]/g, '');
    for (let from = 0; from < KEY.length; from++) {
      for (let to = from + 1; to <= KEY.length; to++) {
        const piece = KEY.slice(from, to);
        const left = redactor
          .redact(`key ${piece}`)
          .replace('key ', '')
          .replace(/[^A-Za-z0-9]/g, '');
        if (left !== 'secret') expect(left.length, piece).toBeLessThan(8);
      }
    }
    expect(letters.length).toBeGreaterThan(20);
  });
});

describe('what is no secret stays as it is', () => {
  test.each([
    'Incorrect API key provided: sk-pr***1Nc5.',
    'The model does not exist, or you do not have access to it.',
    'Unsupported parameter: our keys are better.',
    'req_01k9x3v7q2m5n8r4t6w0y1z2a3',
    '',
  ])('%s', (text) => {
    expect(redactor.redact(text)).toBe(text);
  });

  test('short words that are set as keys do not hide text', () => {
    const short = new Redactor();
    for (const word of ['k', 'key', 'secret', 'password']) short.add(new Secret(word));
    expect(short.redact('a password is a secret key')).toBe('a password is a secret key');
  });
});
