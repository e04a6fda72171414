/** Every price of a model: the usual ones, and a table for each special price. */
import { Badge } from '../../parts/badge.tsx';
import { PlainTable } from '../../parts/data-table.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { useTexts } from '../../text/define-texts.ts';
import { currentLanguage } from '../../text/language.ts';
import { printCount, printKst } from '../../text/times.ts';
import { clockInKst, printWeekdays } from '../../text/weekdays.ts';
import type { ModelRowData } from './listed-model.ts';
import { type PriceRow, priceRows, type Rule, ruleRows } from './model-prices.ts';
import style from './models.module.css';
import { modelTexts } from './texts.ts';

export function PriceTables({ pricing }: { pricing: ModelRowData['pricing'] }) {
  const t = useTexts(modelTexts);
  if (pricing === null) return <p className="warning">{t('unknownHint')}</p>;
  const { rules = [], valid_until: until } = pricing;
  return (
    <section className={style.part}>
      <h3>{t('prices')}</h3>
      <PriceTable caption={t('prices')} rows={priceRows(pricing)} />
      {until !== undefined && <p className="hint">{t('validUntil', { time: `${printKst(until)} (KST)` })}</p>}
      {rules.length > 0 && <h3>{t('specialPrices')}</h3>}
      {rules.map((rule) => (
        <SpecialPrice key={JSON.stringify(rule)} rule={rule} />
      ))}
    </section>
  );
}

function SpecialPrice({ rule }: { rule: Rule }) {
  const conditions = useConditions(rule);
  return (
    <>
      <p className={style.kind}>{conditions}</p>
      <PriceTable caption={conditions} rows={ruleRows(rule)} />
    </>
  );
}

function useConditions({ context_above: above, marginal, tier, geo, batch, hours }: Rule): string {
  const t = useTexts(modelTexts);
  const tokens = printCount(above ?? 0, currentLanguage());
  const ofHours = useHours(hours);
  return [
    ...(above === undefined ? [] : [t(marginal ? 'aboveOnly' : 'ifAbove', { tokens })]),
    ...(tier === undefined ? [] : [t('inTier', { tier })]),
    ...(geo === undefined ? [] : [t('inGeo', { geo })]),
    ...(batch ? [t('inBatch')] : []),
    ...ofHours,
  ].join(', ');
}

function useHours(hours: Rule['hours']): string[] {
  const t = useTexts(modelTexts);
  if (hours === undefined) return [];
  const { from, to, days, except } = hours;
  return [
    t('inHours', { from, to, fromKst: clockInKst(from), toKst: clockInKst(to) }),
    ...(days === undefined ? [] : [t('onDays', { days: printWeekdays(days, currentLanguage()) })]),
    ...(except === undefined ? [] : [t('exceptOn', { dates: except.join(', ') })]),
  ];
}

function PriceTable({ caption, rows }: { caption: string; rows: readonly PriceRow[] }) {
  const t = useTexts(modelTexts);
  return (
    <PlainTable
      caption={caption}
      rows={rows}
      rowKey={({ kind, choice }) => `${kind} ${choice}`}
      columns={[
        {
          key: 'kind',
          title: t('component'),
          cell: ({ kind, choice, isDefault }) => (
            <>
              {t(kind)} {choice !== '' && (choice ?? t('otherChoice'))}{' '}
              {isDefault && <Badge tone="quiet">{t('default')}</Badge>}
            </>
          ),
        },
        {
          key: 'price',
          title: t('units'),
          number: true,
          cell: ({ price }) => <UnitAmount value={price} />,
        },
        { key: 'per', title: t('per'), cell: ({ kind }) => t(perOf(kind)) },
      ]}
    />
  );
}

function perOf(
  kind: PriceRow['kind'],
): 'anImage' | 'aSecond' | 'aRequest' | 'thousandCalls' | 'millionTokens' {
  const counted = {
    per_image: 'anImage',
    per_second: 'aSecond',
    request: 'aRequest',
    tool: 'thousandCalls',
  } as const;
  return counted[kind as keyof typeof counted] ?? 'millionTokens';
}
