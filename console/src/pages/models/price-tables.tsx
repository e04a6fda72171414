/** Every price of a model: the usual ones, and a table for each special price. */
import { Badge } from '../../parts/badge.tsx';
import { PlainTable } from '../../parts/data-table.tsx';
import { currentLanguage } from '../../text/language.ts';
import { useTexts } from '../../text/say.ts';
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
    <section className={`stack close ${style.part}`}>
      <h3>{t('prices')}</h3>
      <PriceTable caption={t('prices')} rows={priceRows(pricing)} />
      {until !== undefined && <p className="hint">{t('validUntil', { time: `${printKst(until)} (KST)` })}</p>}
      {rules.length > 0 && <h3>{t('specialPrices')}</h3>}
      {[...Map.groupBy(rules, (rule) => JSON.stringify(ruleRows(rule)))].map(([key, same]) => (
        <SpecialPrice key={key} rules={same} />
      ))}
    </section>
  );
}

/** Rules with the same prices, such as those for two times of the day. */
function SpecialPrice({ rules }: { rules: readonly Rule[] }) {
  const t = useModelTexts();
  const [first] = rules;
  const conditions = rules.map((rule) => conditionsOf(rule, t));
  return (
    <div className={style.special}>
      {conditions.map((one, i) => (
        <p key={one} className={style.conditions}>
          {i === 0 ? one : t('or', { conditions: one })}
        </p>
      ))}
      {first !== undefined && <PriceTable caption={conditions.join('; ')} rows={ruleRows(first)} />}
    </div>
  );
}

const useModelTexts = () => useTexts(modelTexts);
type Words = ReturnType<typeof useModelTexts>;

function conditionsOf({ context_above: above, marginal, tier, geo, batch, hours }: Rule, t: Words): string {
  const tokens = printCount(above ?? 0, currentLanguage());
  return [
    ...(above === undefined ? [] : [t(marginal ? 'aboveOnly' : 'ifAbove', { tokens })]),
    ...(tier === undefined ? [] : [t('inTier', { tier })]),
    ...(geo === undefined ? [] : [t('inGeo', { geo })]),
    ...(batch ? [t('inBatch')] : []),
    ...hoursOf(hours, t),
  ].join(', ');
}

function hoursOf(hours: Rule['hours'], t: Words): string[] {
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
        { key: 'price', title: t('units'), as: 'units' },
        {
          key: 'per',
          title: t('per'),
          cell: ({ kind }) => <span className={style.per}>{t(perOf(kind))}</span>,
        },
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
