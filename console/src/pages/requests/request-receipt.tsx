/** What a call cost and how that was counted, line by line, and what was corrected later. */
import { tokenComponents } from '../../../../gateway/src/contract/price-components.ts';
import { PlainTable } from '../../parts/data-table.tsx';
import { groupDigits, UnitAmount } from '../../parts/unit-amount.tsx';
import { useTexts } from '../../text/say.ts';
import { type Explained, statusOf } from '../../topics/request/explained.ts';
import { RequestCost, type ShownStatus } from '../../topics/request/request-status.tsx';
import style from './requests.module.css';
import { requestTexts } from './texts.ts';

type Call = NonNullable<Explained['call']>;

const components = [...tokenComponents, 'request', 'image', 'second'] as const;
const TOOL = 'tool.';

export function RequestReceipt({ explained }: { explained: Explained }) {
  const t = useTexts(requestTexts);
  const { call } = explained;
  // What produced nothing has nothing to count.
  if (call === null || (call.outcome === 'failed' && call.cost === null && call.corrections.length === 0))
    return null;
  const latest = call.corrections.at(-1);
  const status = statusOf(explained);
  return (
    <section className={`stack close ${style.part}`}>
      <h3>{t('receipt')}</h3>
      <PlainTable
        caption={t('receipt')}
        rows={call.lines}
        // Tokens above a length have a line of their own.
        rowKey={({ component, price }) => `${component} ${price}`}
        columns={[
          {
            key: 'component',
            title: t('component'),
            cell: (line) => <ComponentName name={line.component} />,
          },
          { key: 'count', title: t('count'), number: true, cell: (line) => groupDigits(String(line.count)) },
          {
            key: 'price',
            title: t('price'),
            number: true,
            cell: (line) => (
              <>
                <UnitAmount value={line.price} />
                <span className={style.under}>{t(perOf(line.component))}</span>
              </>
            ),
          },
          { key: 'amount', title: t('amount'), as: 'units' },
        ]}
        foot={
          <>
            <Total name={t('total')} cost={call.cost} status={status} />
            {latest !== undefined && <Total name={t('afterCorrection')} cost={latest.cost} status={status} />}
          </>
        }
      />
      {call.cost === null && <p className="hint">{t('unknownWhy')}</p>}
      {call.provisional !== null && (
        <p className="hint">{t('provisional', { units: groupDigits(call.provisional) })}</p>
      )}
      <Corrections call={call} />
    </section>
  );
}

function Total(props: { name: string; cost: string | null; status: ShownStatus }) {
  return (
    <tr>
      <th scope="row" colSpan={3}>
        {props.name}
      </th>
      <td className="number">
        <RequestCost status={props.status} cost={props.cost} />
      </td>
    </tr>
  );
}

function ComponentName({ name }: { name: string }) {
  const t = useTexts(requestTexts);
  if (name.startsWith(TOOL)) return <>{t('component_tool', { kind: name.slice(TOOL.length) })}</>;
  const known = components.find((one) => one === name);
  return <>{known === undefined ? name : t(`component_${known}`)}</>;
}

function perOf(component: string): 'perImage' | 'perSecond' | 'perRequest' | 'perThousand' | 'perMillion' {
  if (component.startsWith(TOOL)) return 'perThousand';
  const counted = { image: 'perImage', second: 'perSecond', request: 'perRequest' } as const;
  return counted[component as keyof typeof counted] ?? 'perMillion';
}

function Corrections({ call: { corrections } }: { call: Call }) {
  const t = useTexts(requestTexts);
  if (corrections.length === 0) return null;
  return (
    <>
      <h3>{t('corrections')}</h3>
      <PlainTable
        caption={t('corrections')}
        rows={corrections}
        rowKey={({ at, cost }) => `${at} ${cost}`}
        columns={[
          { key: 'at', title: t('time'), as: 'moment' },
          { key: 'cost_before', title: t('before'), as: 'units' },
          { key: 'cost', title: t('after'), as: 'units' },
          { key: 'note', title: t('note'), as: 'text' },
        ]}
      />
    </>
  );
}
