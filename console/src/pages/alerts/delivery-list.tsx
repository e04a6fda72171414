/** The log of deliveries: what was sent, what the receiver answered, and sending it again. */
import { deliveryStates } from '../../../../gateway/src/contract/administration/words.ts';
import { FilterChoice } from '../../addresses/filter-choice.tsx';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { type ItemOf, useChange, useList } from '../../api/use-operation.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Filters } from '../../parts/field.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { useRun } from '../../parts/use-run.ts';
import { useTexts } from '../../text/say.ts';
import { alertsTexts } from './texts.ts';

type Delivery = ItemOf<'alerts.deliveries'>;

const tones: Readonly<Record<Delivery['state'], Tone>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
};
/** A test is delivered a moment after it was sent. */
const READ_AGAIN_MS = 5_000;

export function DeliveryList() {
  const t = useTexts(alertsTexts);
  const [space, redeliver] = [useSpace(), useChange('alerts.redeliver')];
  const [search] = useSearchState();
  const { error, run } = useRun();
  const state = deliveryStates.find((one) => one === search.state);
  return (
    <>
      <Filters>
        <FilterChoice
          name="state"
          label={t('state')}
          any={t('allStates')}
          values={deliveryStates}
          labelOf={t}
        />
      </Filters>
      <ThrownNote error={error} />
      <DataTable
        caption={t('deliveries')}
        list={useList('alerts.deliveries', { space, state }, { every: READ_AGAIN_MS })}
        rowKey={({ id }) => id}
        columns={[
          { key: 'created_at', title: t('happenedAt'), as: 'moment' },
          { key: 'event', title: t('event'), as: 'text' },
          { key: 'target', title: t('target'), as: 'text', wide: true },
          {
            key: 'state',
            title: t('state'),
            cell: ({ state: is, problem }) => (
              <>
                <Badge tone={tones[is]}>{t(is)}</Badge>
                {problem !== null && <div className="hint">{problem}</div>}
              </>
            ),
          },
          { key: 'attempts', title: t('attempts'), as: 'count', wide: true },
          { key: 'next_at', title: t('nextAt'), as: 'moment', wide: true },
          {
            key: 'actions',
            title: t('actions'),
            cell: (row) =>
              row.state !== 'pending' && (
                <RowButton
                  name={t('againName', { event: row.event })}
                  onClick={() => void run(() => redeliver.mutateAsync({ space, delivery: row.id }))}
                >
                  {t('again')}
                </RowButton>
              ),
          },
        ]}
        empty={<Empty title={t('noDeliveries')} text={t('noDeliveriesText')} />}
      />
    </>
  );
}
