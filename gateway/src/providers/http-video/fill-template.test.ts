import { expect, test } from 'vitest';
import { fillTemplate, placeholdersIn } from './fill-template.ts';

const values = { prompt: 'a "kite"', duration_seconds: 8, generate_audio: false, reference_urls: ['a', 'b'] };

test.each([
  ['{{prompt}}', 'a "kite"'],
  ['{{duration_seconds}}', 8],
  ['{{generate_audio}}', false],
  ['{{reference_urls}}', ['a', 'b']],
  ['{{duration_seconds}}s', '8s'],
  ['{{prompt}}, {{duration_seconds}} seconds', 'a "kite", 8 seconds'],
  ['plain { } text', 'plain { } text'],
  [30, 30],
  [null, null],
  [
    { a: '{{prompt}}', b: '{{seed}}', c: 1 },
    { a: 'a "kite"', c: 1 },
  ],
  [{ a: 1, b: { c: { d: '{{seed}}' } } }, { a: 1 }],
  [
    { a: 1, b: {}, c: [] },
    { a: 1, b: {}, c: [] },
  ],
  [{ a: ['{{seed}}', '{{prompt}}'] }, { a: ['a "kite"'] }],
  [{ a: 1, b: [{ url: '{{image_url}}' }] }, { a: 1 }],
  [{ a: 1, b: 'seed {{seed}}' }, { a: 1 }],
])('%j becomes %j', (template, filled) => {
  expect(fillTemplate(template, values)).toEqual(filled);
});

test('a value that looks like a placeholder is not expanded', () => {
  expect(fillTemplate({ a: '{{prompt}}!' }, { prompt: '{{model}} $& $1' })).toEqual({
    a: '{{model}} $& $1!',
  });
});

test('the placeholders of a template are found', () => {
  const template = { a: '{{prompt}} {{seed}}', b: [{ c: '{{fps}}' }], d: 1, e: null };
  expect([...placeholdersIn(template)]).toEqual(['prompt', 'seed', 'fps']);
});
