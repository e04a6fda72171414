/** One batch: both tracks, its cost, its files, and what can be done. */
import { useQuery } from '@tanstack/react-query';
import type { BatchObject } from '../../../../gateway/src/contract/batches.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { askGateway } from '../../api/ask-gateway.ts';
import { useRead } from '../../api/use-operation.ts';
import { CancelButton } from '../../parts/cancel-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { useRole, useSession } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { useSeenKey } from '../../topics/gateway-key/use-own-key.ts';
import { BatchFiles } from './batch-files.tsx';
import {
  type BatchListItem,
  Counts,
  hasEnded,
  isOver,
  SettlementBadge,
  StatusBadge,
} from './batch-tracks.tsx';
import { batchTexts } from './texts.ts';

const POLL_MS = 2_000;

export function BatchDrawer({ id, apiKey, onClose }: { id: string; apiKey: string; onClose(): void }) {
  const t = useTexts(batchTexts);
  const space = useSpace();
  const read = useRead('batches.get', { space, batch: id }, { every: POLL_MS });
  const batch = read.data?.id === id ? read.data : null;
  return (
    <Dialog title={id} side onClose={onClose}>
      <ThrownNote error={batch === null ? read.error : null} />
      {batch !== null && <BatchFacts batch={batch} />}
      {batch?.status === 'completed' && !isOver(batch) && <p className="hint">{t('endedNote')}</p>}
      {batch?.settlement === 'quarantined' && <Quarantine reason={batch.reason} />}
      {batch !== null && <OwnParts batch={batch} apiKey={apiKey} />}
    </Dialog>
  );
}

function BatchFacts({ batch }: { batch: BatchListItem }) {
  const t = useTexts(batchTexts);
  return (
    <Facts>
      <Fact name={t('status')}>
        <StatusBadge batch={batch} /> <Counts batch={batch} />
      </Fact>
      <Fact name={t('settlement')}>
        <SettlementBadge batch={batch} />
      </Fact>
      <Fact name={t('cost')}>
        {batch.settlement === 'settled' ? (
          <>
            <UnitAmount value={batch.units} /> {t('unitWord')}
          </>
        ) : (
          t('notSettled')
        )}
      </Fact>
      <Fact name={t('model')}>{batch.model}</Fact>
      <Fact name={t('endpoint')} as="code" value={batch.endpoint} />
      <Fact name={t('owner')}>{batch.owner ?? t('sharedKey')}</Fact>
      <Fact name={t('key')}>{batch.key ?? '–'}</Fact>
      <Fact name={t('created')} as="moment" value={batch.created_at} />
      <Fact name={t('ended')} as="moment" value={batch.ended_at} />
      <Fact name={t('settledAt')} as="moment" value={batch.settled_at} />
      {!hasEnded(batch) && <Fact name={t('expires')} as="moment" value={batch.expires_at} />}
    </Facts>
  );
}

function Quarantine({ reason }: { reason: string | null }) {
  const t = useTexts(batchTexts);
  return (
    <section className="warning" aria-label={t('quarantineTitle')}>
      <p>
        <strong>{t('quarantineTitle')}</strong>
      </p>
      <p>{t('quarantineText')}</p>
      {reason !== null && <p>{t('quarantineReason', { reason })}</p>}
    </section>
  );
}

/** What only its owner can do, with a key; administrators read the results of people. */
function OwnParts({ batch, apiKey }: { batch: BatchListItem; apiKey: string }) {
  const t = useTexts(batchTexts);
  const { isAdmin } = useRole();
  const { person } = useSession();
  const seen = useSeenKey(apiKey);
  const mine = batch.owner === person.email;
  const fits =
    batch.owner === null
      ? seen?.name === batch.key && seen?.owner === null
      : mine && seen?.owner === person.email;
  const ownKey = fits ? apiKey : '';
  const asAdmin = isAdmin && batch.owner !== null;
  return (
    <>
      <BatchErrors batch={batch} ownKey={ownKey} />
      <h3>{t('files')}</h3>
      <BatchFiles
        batch={batch}
        ownKey={ownKey}
        asAdmin={asAdmin}
        note={fits || asAdmin ? null : filesNote()}
      />
      {!hasEnded(batch) &&
        (fits ? <CancelBatch batch={batch} ownKey={ownKey} /> : <p className="hint">{cancelNote()}</p>)}
    </>
  );

  function filesNote(): string {
    return batch.owner === null ? t('filesNeedKey', { key: batch.key ?? '' }) : t('filesNeedOwn');
  }

  function cancelNote(): string {
    if (batch.owner === null) return t('notYourKey', { key: batch.key ?? '' });
    return mine ? t('needOwnKey') : t('notYours', { owner: batch.owner });
  }
}

/** Only the owner's key reads why the whole batch failed. */
function BatchErrors({ batch, ownKey }: { batch: BatchListItem; ownKey: string }) {
  const t = useTexts(batchTexts);
  const own = useQuery({
    queryKey: ['own-batch', batch.id, ownKey !== ''],
    queryFn: async ({ signal }) =>
      (await (await askGateway(`/v1/batches/${batch.id}`, { key: ownKey, signal })).json()) as BatchObject,
    enabled: ownKey !== '' && (batch.status === 'failed' || batch.status === 'expired'),
  });
  const errors = own.data?.errors?.data ?? [];
  if (errors.length === 0) return null;
  return (
    <section className="failure" aria-label={t('errors')}>
      {errors.map(({ code, message, line }) => (
        <p key={`${code}-${line}`}>
          <code>{code}</code> {message}
        </p>
      ))}
    </section>
  );
}

function CancelBatch({ batch, ownKey }: { batch: BatchListItem; ownKey: string }) {
  const t = useTexts(batchTexts);
  return (
    <CancelButton
      label={t('cancel')}
      title={t('cancelTitle')}
      text={t('cancelText')}
      path={`/v1/batches/${batch.id}/cancel`}
      ownKey={ownKey}
      disabled={batch.status === 'cancelling'}
    />
  );
}
