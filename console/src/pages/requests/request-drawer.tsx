/** Everything about one request at the side of the list. It may be one that the list has not loaded. */
import { SpaceLink } from '../../addresses/space-link.tsx';
import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ReadNote } from '../../parts/read-note.tsx';
import { useTexts } from '../../text/say.ts';
import { type Explained, sentenceOf, statusOf } from '../../topics/request/explained.ts';
import { RequestBadge, type RequestRow } from '../../topics/request/request-status.tsx';
import { RequestAttempts } from './request-attempts.tsx';
import { RequestFacts } from './request-facts.tsx';
import { RequestReceipt } from './request-receipt.tsx';
import style from './requests.module.css';
import { requestTexts } from './texts.ts';

interface DrawerProps {
  readonly id: string;
  /** As it is in the list; null if it is not there. */
  readonly row: RequestRow | null;
  readonly ids: readonly string[];
  onGo(id: string): void;
  onClose(): void;
}

export function RequestDrawer({ id, row, ids, onGo, onClose }: DrawerProps) {
  const t = useTexts(requestTexts);
  const space = useSpace();
  const read = useRead('requests.get', { space, request: id });
  const shown = read.data?.ref === id ? read.data : null;
  const status = row?.status ?? (shown && statusOf(shown));
  const at = ids.indexOf(id);
  const [before, after] = at === -1 ? [] : [ids[at - 1], ids[at + 1]];
  return (
    <Dialog
      side
      title={t('request')}
      onClose={onClose}
      head={
        <>
          <Step label={t('previous')} sign="↑" id={before} onGo={onGo} />
          <Step label={t('next')} sign="↓" id={after} onGo={onGo} />
        </>
      }
    >
      <div className="stack loose" data-drawer={id}>
        <p className={style.identity}>
          {status && <RequestBadge status={status} />}
          <code>{id}</code>
          <CopyButton text={id} what={t('theId')} />
        </p>
        {shown === null ? (
          <ReadNote read={read} waits />
        ) : (
          <>
            <RequestProblem explained={shown} />
            <RequestReceipt explained={shown} />
            <RequestFacts explained={shown} />
            <RequestAttempts explained={shown} />
            <NextPlaces id={id} at={shown.call?.started_at ?? shown.refusal?.at} />
          </>
        )}
      </div>
    </Dialog>
  );
}

function Step(props: { label: string; sign: string; id: string | undefined; onGo(id: string): void }) {
  const { label, sign, id, onGo } = props;
  return (
    <button
      type="button"
      className={style.step}
      aria-label={label}
      title={label}
      // Not disabled, because at the end of the list the focus would be lost.
      aria-disabled={id === undefined}
      onClick={() => id !== undefined && onGo(id)}
    >
      {sign}
    </button>
  );
}

function NextPlaces({ id, at }: { id: string; at: string | undefined }) {
  const t = useTexts(requestTexts);
  return (
    <p className={style.places}>
      {id.startsWith('req_') && (
        <SpaceLink page="playground" search={{ request: id }} className="button">
          {t('toPlayground')}
        </SpaceLink>
      )}
      {at !== undefined && (
        <SpaceLink page="logs" search={{ at }} className="button">
          {t('toLogs')}
        </SpaceLink>
      )}
    </p>
  );
}

/** Why a request failed or was rejected, and what to quote when asking for help. */
function RequestProblem({ explained }: { explained: Explained }) {
  const t = useTexts(requestTexts);
  const { ref, refusal, call } = explained;
  const code = refusal?.type ?? call?.problem ?? null;
  if (code === null) return null;
  const facts = Object.entries(refusal?.facts ?? {}).filter(([name]) => name !== 'key_id');
  return (
    <section className="failure">
      <h3 className={style.code}>
        <code>{code}</code>
        {refusal !== null && <span className="small">HTTP {refusal.status}</span>}
      </h3>
      <p>{sentenceOf(explained)}</p>
      {refusal?.param != null && (
        <p className="small">
          {t('field')} <code>{refusal.param}</code>
        </p>
      )}
      {facts.length > 0 && (
        <dl className={`pairs ${style.facts}`}>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <p className="small">
        {t('errorRef')} <code>{ref}</code>
      </p>
    </section>
  );
}
