/** `--space` and `--key` of the commands that show prices from the configuration: whose markup applies. */
import { hasPricesBySpace } from '../catalog/charged-price.ts';
import type { Model } from '../catalog/model.ts';
import { isId } from '../kernel/ids.ts';
import type { PricedCaller } from '../pricing/markup.ts';
import { option, type Read } from './command.ts';
import { UsageError } from './usage-error.ts';

const keyId: Read<string> = (text, label) => {
  if (isId('key', text)) return text;
  throw new UsageError(
    `${label} must be the id of a key, which begins with key_. "tollgate keys list -o wide" shows the ids.`,
  );
};

export const callerOptions = {
  space: option('<name>', 'only the models of this space, with its prices'),
  key: option('<id>', 'with the prices for this key of the space', { read: keyId }),
};

/** Without a space: the prices for spaces that have none of their own. */
export function readCaller(typed: { space: string | undefined; key: string | undefined }): PricedCaller {
  const { space, key } = typed;
  if (key !== undefined && space === undefined)
    throw new UsageError('--key needs --space: models without a price for the key have that of its space.');
  return { spaceName: space ?? '', ...(key !== undefined && { keyId: key }) };
}

/** Says that the prices may be others, where nobody was named whose prices are wanted. */
export function notePricesBySpace(models: readonly Model[], { spaceName }: PricedCaller): void {
  if (spaceName !== '' || !models.some(hasPricesBySpace)) return;
  process.stderr.write('Some spaces or keys have other prices: use --space NAME, and --key ID for a key.\n');
}
