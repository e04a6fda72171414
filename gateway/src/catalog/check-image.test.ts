import { expect, test } from 'vitest';
import { checkImageCall } from './check-image.ts';

const model = {
  code: 'm',
  image: {
    sizes: ['1024x1024', 'auto'],
    qualities: ['low'],
    backgrounds: ['opaque'],
    sizeDefault: null,
    qualityDefault: null,
    imagesMax: 2,
  },
};

test('listed values and unset fields are accepted', () => {
  checkImageCall(model, {});
  checkImageCall(model, { n: 2, size: 'auto', quality: 'low', background: 'opaque' });
  checkImageCall(model, { n: null, size: null, quality: null, background: null });
});

test.each([
  ['size', { size: '64x64' }, 'size must be one of 1024x1024, auto for m.'],
  ['quality', { quality: 'high' }, 'quality must be one of low for m.'],
  ['background', { background: 'transparent' }, 'background must be one of opaque for m.'],
  ['n', { n: 3 }, 'n must be at most 2 for m.'],
])('another %s is rejected, with the allowed values', (param, asked, detail) => {
  expect(() => checkImageCall(model, asked)).toThrow(
    expect.objectContaining({ code: 'invalid_parameter', param, detail }),
  );
});

test('without a list in the catalogue the provider decides', () => {
  const open = {
    code: 'm',
    image: {
      sizes: null,
      qualities: null,
      backgrounds: null,
      sizeDefault: null,
      qualityDefault: null,
      imagesMax: 10,
    },
  };
  checkImageCall(open, { size: '1x1', quality: 'odd', background: 'plaid' });
});
