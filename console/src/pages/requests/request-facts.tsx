/** Who called what, how long it took and what was counted. */
import type { ReactNode } from 'react';
import { SpaceLink } from '../../addresses/space-link.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useRole } from '../../session/session.ts';
import { currentLanguage } from '../../text/language.ts';
import { useTexts } from '../../text/say.ts';
import { printCount, printDuration, printMonth } from '../../text/times.ts';
import type { Explained } from '../../topics/request/explained.ts';
import style from './requests.module.css';
import { requestTexts } from './texts.ts';

const TAG = 'tag:';

type Pair = readonly [name: string, value: ReactNode];

export function RequestFacts({ explained }: { explained: Explained }) {
  const t = useTexts(requestTexts);
  const sender = useSenderFacts(explained);
  const attributed = useAttributionFacts(explained);
  const call = useCallFacts(explained);
  return (
    <section className={`stack close ${style.part}`}>
      <h3>{t('facts')}</h3>
      <Facts>
        {[...sender, ...attributed, ...call].map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </Facts>
    </section>
  );
}

function useSenderFacts({ key, key_hint, member, refusal, call }: Explained): Pair[] {
  const t = useTexts(requestTexts);
  const facts: Pair[] = [[t('time'), <Moment key="time" at={call?.started_at ?? refusal?.at ?? null} />]];
  if (call !== null)
    facts.push([
      t('model'),
      <SpaceLink key="model" page="models" search={{ model: call.model }}>
        {call.model}
      </SpaceLink>,
    ]);
  if (call !== null && call.requested_model !== null)
    facts.push([t('requestedModel'), <code key="requested">{call.requested_model}</code>]);
  facts.push([t('endpoint'), call?.endpoint ?? refusal?.endpoint]);
  if (key !== null)
    facts.push([
      t('key'),
      <span key="key">
        <SpaceLink page="keys" search={{ key }}>
          {key}
        </SpaceLink>{' '}
        <code>{key_hint}</code>
      </span>,
    ]);
  if (member !== null) facts.push([t('member'), member]);
  return facts;
}

/** What its usage is reported under. */
function useAttributionFacts({ call }: Explained): Pair[] {
  const t = useTexts(requestTexts);
  const nameOf = (dimension: string): string => {
    if (dimension === 'end_user') return t('endUser');
    return dimension === 'session' ? t('session') : t('tag', { key: dimension.slice(TAG.length) });
  };
  return Object.entries(call?.attribution ?? {}).map(([dimension, value]) => [
    nameOf(dimension),
    value === null ? t('otherValue') : <code key={dimension}>{value}</code>,
  ]);
}

function useCallFacts({ call }: Explained): Pair[] {
  const t = useTexts(requestTexts);
  const { isAdmin } = useRole();
  if (call === null) return [];
  const { usage } = call;
  const { tier, geo, tools, unknown } = usage.details ?? {};
  const details: Pair[] = [
    ...(tier === undefined ? [] : [[t('tier'), tier] as const]),
    ...(geo === undefined ? [] : [[t('geo'), geo] as const]),
    ...(tools === undefined ? [] : [[t('tools'), countsText(tools)] as const]),
    ...(unknown === undefined ? [] : [[t('unknownUsage'), countsText(unknown)] as const]),
  ];
  const count = (value: number | null): string =>
    value === null ? t('unknown') : printCount(value, currentLanguage());
  const facts: Pair[] = [
    [t('streamed'), t(call.streamed ? 'yes' : 'no')],
    [t('firstToken'), call.first_byte_ms === null ? '–' : printDuration(call.first_byte_ms)],
    [t('duration'), printDuration(call.duration_ms)],
  ];
  if (call.finish_reason !== null) facts.push([t('finishReason'), <code key="f">{call.finish_reason}</code>]);
  if (call.usage_source !== 'none') {
    facts.push([t('tokensIn'), count(usage.input_tokens)], [t('tokensOut'), count(usage.output_tokens)]);
    const parts = [
      [t('component_cached_input'), usage.cached_input_tokens],
      [t('component_cache_write'), usage.cache_write_tokens],
      [t('component_reasoning'), usage.reasoning_tokens],
      [t('component_image'), usage.images],
    ] as const;
    facts.push(...parts.flatMap(([name, value]): Pair[] => (value ? [[name, count(value)]] : [])));
    facts.push(...details);
    facts.push([t('usageSource'), t(call.usage_source === 'provider' ? 'fromProvider' : 'estimated')]);
  }
  if (call.price_version !== null) facts.push([t('priceVersion'), call.price_version]);
  if (call.batch_id !== null)
    facts.push([
      t('batch'),
      <SpaceLink key="batch" page="batches" search={{ batch: call.batch_id }}>
        {call.batch_id}
      </SpaceLink>,
    ]);
  facts.push([t('month'), `${printMonth(call.month, currentLanguage())} (KST)`]);
  if (isAdmin && call.journal_entry !== null)
    facts.push([
      t('journalEntry'),
      <SpaceLink key="entry" page="balance" search={{ tab: 'journal' }}>
        {call.journal_entry}
      </SpaceLink>,
    ]);
  return facts;
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, value]) => `${name} ${printCount(value, currentLanguage())}`)
    .join(', ');
}
