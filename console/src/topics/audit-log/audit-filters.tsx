/** Filters of the audit log, kept in the address. Days are those of Korean standard time. */
import { adminRoutes } from 'virtual:admin-routes';
import { DAY_MS } from '../../../../gateway/src/kernel/durations.ts';
import type { Search } from '../../addresses/search.ts';
import { Filters } from '../../parts/field.tsx';
import { LineField, TypedFilter } from '../../parts/line-field.tsx';
import { useTexts } from '../../text/say.ts';
import { auditTexts } from './texts.ts';

export const auditFilterNames = ['actor', 'action', 'subject', 'from', 'until'] as const;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The filters as the API takes them. `until` includes its day. */
export function auditInput(search: Search) {
  const start = (day: string | undefined, addMs = 0): string | undefined =>
    day !== undefined && DAY.test(day)
      ? new Date(Date.parse(`${day}T00:00:00+09:00`) + addMs).toISOString()
      : undefined;
  return {
    actor: search.actor || undefined,
    action: search.action || undefined,
    subject: search.subject || undefined,
    from: start(search.from),
    until: start(search.until, DAY_MS),
  };
}

/** Everything that changes something, and the kinds that filter all of them. */
const changes = Object.entries(adminRoutes)
  .filter(([, { method }]) => method !== 'GET')
  .map(([name]) => name);
const actions = [...new Set(changes.flatMap((name) => [name.split('.')[0] as string, name]))];

export function AuditFilterRow(props: {
  search: Search;
  change(changes: Search, options?: { replace?: boolean }): void;
}) {
  const { search, change } = props;
  const t = useTexts(auditTexts);
  const typed = (name: 'actor' | 'action' | 'subject') => ({
    label: t(name),
    placeholder: t(`${name}Hint`),
    value: search[name] ?? '',
    onType: (value: string) => change({ [name]: value }, { replace: true }),
  });
  const day = (name: 'from' | 'until') => ({
    label: t(name),
    type: 'date',
    value: search[name] ?? '',
    onType: (value: string) => change({ [name]: value }),
  });
  return (
    <Filters>
      <TypedFilter {...typed('actor')} />
      <TypedFilter {...typed('action')} offers={actions} />
      <TypedFilter {...typed('subject')} />
      <LineField {...day('from')} />
      <LineField {...day('until')} />
    </Filters>
  );
}
