import { SpaceLink } from '../../addresses/space-link.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { groupDigits, UnitAmount } from '../../parts/unit-amount.tsx';
import { useTexts } from '../../text/say.ts';
import type { ModelRowData } from './listed-model.ts';
import { priceRows } from './model-prices.ts';
import style from './models.module.css';
import { modelTexts } from './texts.ts';

export function useModelColumns(): ReadonlyArray<Column<ModelRowData>> {
  const t = useTexts(modelTexts);
  return [
    { key: 'code', title: t('code'), cell: ({ id }) => <code className={style.code}>{id}</code> },
    {
      key: 'input',
      title: t('input'),
      number: true,
      cell: ({ pricing }) => <Price of={pricing} kind="input" />,
    },
    {
      key: 'output',
      title: t('output'),
      number: true,
      cell: ({ pricing }) => <Price of={pricing} kind={resultPrice(pricing)} />,
    },
    {
      key: 'others',
      title: t('otherPrices'),
      wide: true,
      cell: ({ pricing }) => <OtherPrices of={pricing} />,
    },
    {
      key: 'endpoints',
      title: t('endpoints'),
      wide: true,
      cell: ({ endpoints }) => <Codes words={endpoints} />,
    },
    {
      key: 'capabilities',
      title: t('capabilities'),
      wide: true,
      cell: ({ capabilities }) => (
        <span className={style.words}>{capabilities.map((one) => t(`can_${one}`)).join(', ')}</span>
      ),
    },
    { key: 'batch', title: t('batch'), cell: (model) => t(model.supports_batch ? 'yes' : 'no') },
    {
      key: 'try',
      title: t('try'),
      cell: ({ id }) => (
        <SpaceLink page="playground" search={{ models: id }}>
          {t('try')}
          <span className="heard"> {id}</span>
        </SpaceLink>
      ),
    },
  ];
}

export function Codes({ words }: { words: readonly string[] }) {
  return (
    <span className={style.codes}>
      {words.map((word) => (
        <code key={word}>{word}</code>
      ))}
    </span>
  );
}

/** What the model makes is charged by tokens, by image or by second. */
function resultPrice(pricing: ModelRowData['pricing']): 'output' | 'per_image' | 'per_second' {
  if (pricing?.per === 'image') return 'per_image';
  return pricing?.per === 'second' ? 'per_second' : 'output';
}

function Price({
  of,
  kind,
}: {
  of: ModelRowData['pricing'];
  kind: 'input' | ReturnType<typeof resultPrice>;
}) {
  const t = useTexts(modelTexts);
  if (of === null)
    return (
      <span className={style.unknown} title={t('unknownHint')}>
        {t('unknown')}
      </span>
    );
  const price = of[kind];
  if (price === undefined) return '–';
  return (
    <>
      <UnitAmount value={price} />
      {(kind === 'per_image' || kind === 'per_second') && (
        <span className={style.per}>{t(`short_${kind}`)}</span>
      )}
    </>
  );
}

/** In short; the drawer has all prices as a table. */
function OtherPrices({ of }: { of: ModelRowData['pricing'] }) {
  const t = useTexts(modelTexts);
  if (of === null) return null;
  const tokens = priceRows(of).filter(({ kind }) => !shownKinds.some((one) => one === kind));
  const choices = (of.image_prices ?? of.second_prices)?.length ?? 0;
  return (
    <span className={style.prices}>
      {tokens.map(({ kind, choice, price }) => (
        <span key={`${kind} ${choice}`}>
          <span className={style.kind}>
            {t(kind)} {choice}
          </span>{' '}
          {groupDigits(price)}
        </span>
      ))}
      {of.rules !== undefined && <span className={style.kind}>{t('rules', { count: of.rules.length })}</span>}
      {choices > 0 && (
        <span className={style.kind}>
          {t(of.image_prices ? 'imagePrices' : 'secondPrices', { count: choices })}
        </span>
      )}
    </span>
  );
}

/** These have a column, or are only counted. */
const shownKinds = ['input', 'output', 'per_image', 'per_second'];
