/** Confirming the code of a command line: which machine asks, from where, and whether it is one's own. */
import { useEffect, useRef, useState } from 'react';
import type {
  DecidedDeviceSignIn,
  DeviceSignInPreview,
} from '../../../../gateway/src/contract/device-sign-in.ts';
import { send } from '../../api/ask-console.ts';
import { asFailure } from '../../api/failure.ts';
import { Fact, Facts } from '../../parts/facts.tsx';
import { Form } from '../../parts/field.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useSession } from '../../session/session.ts';
import icon from '../../style/icon.svg';
import { useTexts } from '../../text/say.ts';
import { deviceTexts } from './device-texts.ts';
import style from './sign-in-page.module.css';

const PATH = '/api/console/device';

export function DevicePage() {
  const t = useTexts(deviceTexts);
  const { person } = useSession();
  const [fromLink] = useState(() => plain(new URLSearchParams(location.search).get('code') ?? ''));
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<{ code: string; request: DeviceSignInPreview } | null>(null);
  const [said, setSaid] = useState('');
  const [isDone, setIsDone] = useState(false);

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      setSaid(asFailure(error).sentence);
    }
  };
  const look = (code: string): Promise<void> =>
    attempt(async () => {
      setSaid('');
      const request = await send('POST', `${PATH}/look`, { body: { user_code: code } });
      setFound({ code, request: request as DeviceSignInPreview });
    });
  const decide = (code: string, allow: boolean): Promise<void> =>
    attempt(async () => {
      const body = { user_code: code, allow };
      const { allowed } = (await send('POST', `${PATH}/decide`, { body })) as DecidedDeviceSignIn;
      setIsDone(true);
      setSaid(t(allowed ? 'signedIn' : 'rejected'));
    });

  const started = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the code of the address is read once, when the page opens
  useEffect(() => {
    if (started.current || fromLink === '') return;
    started.current = true;
    look(fromLink).catch(reportError);
  }, []);

  // A code that somebody else sent would come from elsewhere: then the link is not enough, and the person types it.
  const isTrusted = found !== null && (found.request.same_address || plain(typed) === found.code);
  return (
    <main className={style.page}>
      <div className={style.card}>
        <img src={icon} alt="" width="40" height="40" />
        <h1>{t('title')}</h1>
        {!isDone && found === null && (
          <CodeForm
            value={typed}
            onChange={setTyped}
            onSubmit={() => {
              look(plain(typed)).catch(reportError);
            }}
          />
        )}
        {!isDone && found !== null && (
          <>
            <p>{t('compare')}</p>
            {found.request.same_address && <p className={style.code}>{shown(found.code)}</p>}
            <Facts>
              <Fact name={t('machine')}>{found.request.machine}</Fact>
              <Fact name={t('address')}>
                {found.request.address}
                {found.request.same_address && ` (${t('sameAddress')})`}
              </Fact>
              <Fact name={t('since')}>
                <Moment at={found.request.created_at} /> KST
              </Fact>
            </Facts>
            {!found.request.same_address && (
              <>
                <p role="alert" className="warning">
                  {t('otherAddress')}
                </p>
                <CodeForm value={typed} onChange={setTyped} />
              </>
            )}
            <button
              type="button"
              className="main"
              disabled={!isTrusted}
              onClick={() => {
                decide(found.code, true).catch(reportError);
              }}
            >
              {t('allow', { email: person.email })}
            </button>
            <button
              type="button"
              onClick={() => {
                decide(found.code, false).catch(reportError);
              }}
            >
              {t('reject')}
            </button>
          </>
        )}
        <output>{said}</output>
      </div>
    </main>
  );
}

function CodeForm({
  value,
  onChange,
  onSubmit,
}: {
  value: string;
  onChange(value: string): void;
  onSubmit?: () => void;
}) {
  const t = useTexts(deviceTexts);
  return (
    <Form onSubmit={() => onSubmit?.()}>
      <LineField
        label={t('code')}
        hint={t('codeHint')}
        required
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={20}
        value={value}
        onType={onChange}
      />
      {onSubmit !== undefined && (
        <button type="submit" className="main">
          {t('continue')}
        </button>
      )}
    </Form>
  );
}

/** As it is compared: people type it in any case, with and without the hyphen. */
function plain(code: string): string {
  return code.toUpperCase().replaceAll(/[^A-Z]/g, '');
}

function shown(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
