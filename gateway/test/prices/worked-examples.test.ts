/** The worked examples of docs/money.md, computed from the sheet of the same page. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readCatalog } from '../../src/catalog/read-catalog.ts';
import { readConfigFile } from '../../src/config/config-file.ts';
import { printUnits } from '../../src/kernel/units.ts';
import { batchPrice, priceAt } from '../../src/pricing/model-price.ts';
import { missingPrices, priceUsage } from '../../src/pricing/price.ts';
import { NO_TOKENS, plausibleUsage, type Usage, type UsageDetails } from '../../src/pricing/usage.ts';

const page = readFileSync(new URL('../../../docs/money.md', import.meta.url), 'utf8');
const sheet = /```yaml\n(prices:\n[\s\S]*?)```/.exec(page)?.[1] ?? '';
const models = ['example', 'marginal', 'dated', 'peak', 'night'];
const catalog = readCatalog(
  readConfigFile(
    `providers: { one: { dialect: openai, base_url: 'http://one' } }
models: { ${models.map((code) => `${code}: { routes: [{ provider: one, model: m }] }`).join(', ')} }
${sheet}`,
    {},
  ),
  0,
);

const rows = (/worked-examples:begin -->\n([\s\S]*?)\n<!--/.exec(page)?.[1] ?? '')
  .split('\n')
  .slice(2)
  .map((row) => row.split('|').map((cell) => cell.trim()))
  .map(([, model = '', usage = '', lines = '', cost = '']) => ({
    ...{ model: model.replaceAll('`', ''), usage, lines, cost },
  }));

type Mutable<Of> = { -readonly [Field in keyof Of]: Of[Field] };

/** "1,000 input of which 600 cached, tier flex" as usage. */
function readUsage(text: string): { usage: Usage; inBatch: boolean; startedAt: number } {
  const counts: Mutable<Usage> = { ...NO_TOKENS };
  const details: Mutable<UsageDetails> = {};
  let [inBatch, startedAt] = [false, 0];
  const known: Array<[RegExp, (found: string[]) => void]> = [
    [/^([\d,]+) input$/, ([n]) => (counts.inputTokens = count(n))],
    [/^([\d,]+) output$/, ([n]) => (counts.outputTokens = count(n))],
    [/^([\d,]+) cached$/, ([n]) => (counts.cachedInputTokens = count(n))],
    [/^([\d,]+) reasoning$/, ([n]) => (counts.reasoningTokens = count(n))],
    [/^([\d,]+) input audio$/, ([n]) => (details.audioInputTokens = count(n))],
    [/^([\d,]+) output audio$/, ([n]) => (details.audioOutputTokens = count(n))],
    [
      /^([\d,]+) written for an hour$/,
      ([n]) => {
        counts.cacheWriteTokens += count(n);
        details.cacheWrites = { '1h': count(n) };
      },
    ],
    [/^([\d,]+) written without a lifetime$/, ([n]) => (counts.cacheWriteTokens += count(n))],
    [/^tier (\w+)$/, ([tier]) => (details.tier = tier as string)],
    [/^region (\w+)$/, ([geo]) => (details.geo = geo as string)],
    [/^in a batch$/, () => (inBatch = true)],
    [/^(\d+) calls? of (\w+)$/, ([n, kind]) => (details.tools = { [kind as string]: count(n) })],
    [/^(\d+) of `(\w+)`$/, ([n, name]) => (details.unknown = { [name as string]: count(n) })],
    [/^started (\S+)$/, ([time]) => (startedAt = Date.parse(time as string))],
  ];
  // "150 input of which 100 audio": the part follows its whole.
  const parts = text
    .replace(/(input|output) of which ([\d,]+) audio/, '$1, $2 $1 audio')
    .replaceAll(' of which ', ', ')
    .split(/, (?=\D|\d)/);
  for (const part of parts) {
    const rule = known.find(([pattern]) => pattern.test(part));
    if (rule === undefined) throw new Error(`the test does not understand "${part}"`);
    rule[1](rule[0].exec(part)?.slice(1) ?? []);
  }
  const any = Object.keys(details).length > 0;
  return { usage: { ...counts, ...(any && { details }) }, inBatch, startedAt };
}

function count(text: string | undefined): number {
  return Number(text?.replaceAll(',', ''));
}

test('the page has a sheet and examples of every kind', () => {
  expect(rows.length).toBeGreaterThanOrEqual(18);
});

test.each(rows)('$model: $usage', ({ model, usage: text, lines, cost }) => {
  const { usage, inBatch, startedAt } = readUsage(text);
  expect(plausibleUsage(usage)).toBe(true);
  const dated = priceAt(catalog.models.get(model)?.prices ?? [], startedAt);
  const price = inBatch ? batchPrice(dated) : dated;
  const charge = priceUsage(usage, price);
  const shown =
    charge === null
      ? `no price for ${missingPrices(usage, price)
          .map((name) => `\`${name}\``)
          .join(', ')}`
      : charge.lines
          .map(
            (line) =>
              `${line.component} ${line.count} × ${printUnits(line.price)} = ${printUnits(line.amount)}`,
          )
          .join('; ');
  expect([shown, charge === null ? 'unknown' : printUnits(charge.total)]).toEqual([lines, cost]);
});
