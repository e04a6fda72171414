import type { Column } from '../../parts/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { currentLanguage } from '../../text/language.ts';
import { useTexts } from '../../text/say.ts';
import { printCount, printDuration } from '../../text/times.ts';
import { RequestBadge, RequestCost, type RequestRow } from '../../topics/request/request-status.tsx';
import style from './requests.module.css';
import { requestTexts } from './texts.ts';

export function useRequestColumns(): ReadonlyArray<Column<RequestRow>> {
  const t = useTexts(requestTexts);
  return [
    {
      key: 'time',
      title: t('time'),
      cell: ({ started_at }) => (
        <span className={style.time}>
          <Moment at={started_at} />
        </span>
      ),
    },
    {
      key: 'status',
      title: t('status'),
      cell: ({ status, problem }) => (
        <>
          <RequestBadge status={status} />
          {problem !== null && <code className={style.problem}>{problem}</code>}
        </>
      ),
    },
    {
      key: 'model',
      title: t('model'),
      cell: ({ model, endpoint }) => (
        <>
          <span className={style.name}>{model ?? '–'}</span>
          <span className={style.under}>{endpoint}</span>
        </>
      ),
    },
    {
      key: 'key',
      title: t('key'),
      wide: true,
      cell: ({ key, member }) => (
        <>
          <span className={style.name}>{key ?? '–'}</span>
          {member !== null && <span className={style.under}>{member}</span>}
        </>
      ),
    },
    {
      key: 'duration',
      title: t('duration'),
      number: true,
      cell: ({ duration_ms: ms, first_byte_ms: first }) => (
        <>
          <Milliseconds ms={ms} />
          {first !== null && (
            <span className={style.under}>
              {t('firstToken')} <Milliseconds ms={first} />
            </span>
          )}
        </>
      ),
    },
    {
      key: 'tokens',
      title: t('tokens'),
      number: true,
      wide: true,
      cell: ({ input_tokens, output_tokens }) => (
        <span className="nowrap">
          {shownCount(input_tokens)} / {shownCount(output_tokens)}
        </span>
      ),
    },
    {
      key: 'units',
      title: t('units'),
      number: true,
      cell: ({ status, cost, corrected }) => (
        <>
          <RequestCost status={status} cost={cost} />
          {corrected && <span className={style.under}>{t('corrected')}</span>}
        </>
      ),
    },
  ];
}

function Milliseconds({ ms }: { ms: number | null }) {
  return <span className="nowrap">{ms === null ? '–' : printDuration(ms)}</span>;
}

function shownCount(count: number | null): string {
  return count === null ? '–' : printCount(count, currentLanguage());
}
