/** Signing in: through an issuer, with e-mail and password, with a one-time link, or by accepting an invitation. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { InvitationPreview } from '../../../../gateway/src/contract/invitations.ts';
import type { SignInWays } from '../../../../gateway/src/contract/sign-in.ts';
import { send } from '../../api/ask-console.ts';
import { asFailure } from '../../api/failure.ts';
import { SESSION_PATH, sessionQuery } from '../../session/session.ts';
import icon from '../../style/icon.svg';
import { useTexts } from '../../text/say.ts';
import { PasswordForm } from './password-form.tsx';
import style from './sign-in-page.module.css';
import { signInTexts } from './texts.ts';

const INVITATION = 'iv_';
const FIRST_OPERATOR = 'fo_';

export function SignInPage() {
  const t = useTexts(signInTexts);
  const queries = useQueryClient();
  const [code] = useState(takeCode);
  const isFirst = code.startsWith(FIRST_OPERATOR);
  const [said, setSaid] = useState('');
  const [invitation, setInvitation] = useState<InvitationPreview | null>(null);
  const [isInvited, setIsInvited] = useState(false);
  const ways = useQuery({
    queryKey: ['sign-in'],
    queryFn: async () => (await send('GET', '/api/console/sign-in')) as SignInWays,
  });

  /** A whole new page: the address may be of another version of the console. */
  const enter = async (path: string, body: object): Promise<void> => {
    setSaid(t('signingIn'));
    try {
      await send('POST', path, { body });
      location.replace(returnTo());
    } catch (error) {
      setSaid(asFailure(error).sentence);
    }
  };
  const look = async (): Promise<void> => {
    const found = (await send('POST', '/api/console/invitations/look', {
      body: { code },
    })) as InvitationPreview;
    const session = await queries.fetchQuery(sessionQuery);
    setInvitation(found);
    setIsInvited(session?.person.email.toLowerCase() === found.email.toLowerCase());
  };
  const started = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a code is used once, when the page opens
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    if (code.startsWith(INVITATION)) look().catch((error: unknown) => setSaid(asFailure(error).sentence));
    else if (code !== '' && !isFirst) enter(`${SESSION_PATH}/link`, { code }).catch(reportError);
  }, []);

  const accept = (fields: object): Promise<void> =>
    enter('/api/console/invitations/accept', { code, ...fields });
  const { password = false, issuers = [] } = ways.data ?? {};
  const joins = invitation !== null && !invitation.needs_sign_in;
  const note =
    said === '' && invitation !== null
      ? t(invitationNote(invitation, isInvited), { space: invitation.space, email: invitation.email })
      : said;
  return (
    <main className={style.page}>
      <div className={style.card}>
        <img src={icon} alt="" width="40" height="40" />
        <h1>{t(isFirst ? 'firstTitle' : 'title')}</h1>
        {isFirst ? (
          <>
            <p>{t('firstText')}</p>
            <PasswordForm
              email={null}
              isNew
              submit={t('becomeOperator')}
              onSubmit={(fields) => {
                enter('/api/console/first-operator', { code, ...fields }).catch(reportError);
              }}
            />
          </>
        ) : invitation !== null && isInvited ? (
          <button type="button" className="main" onClick={() => void accept({})}>
            {t('join', { space: invitation.space })}
          </button>
        ) : (
          <>
            {!joins &&
              issuers.map(({ name, label, start_url: start }) => (
                <a key={name} className="button" href={withReturn(start)}>
                  {t('signInWith', { issuer: label })}
                </a>
              ))}
            {password && issuers.length > 0 && !joins && <p className={style.or}>{t('or')}</p>}
            {(password || joins) && (
              <PasswordForm
                key={invitation?.email}
                email={joins ? invitation.email : null}
                submit={joins ? t('join', { space: invitation.space }) : t('signIn')}
                onSubmit={(fields) => {
                  const entering = joins
                    ? accept({ password: fields.password })
                    : enter(SESSION_PATH, fields);
                  entering.catch(reportError);
                }}
              />
            )}
          </>
        )}
        <output>{ways.error !== null ? t('unreachable') : note}</output>
        <p className={style.other}>
          <Link to="/connect">{t('withKey')}</Link>
        </p>
      </div>
    </main>
  );
}

function invitationNote(
  { needs_sign_in: needsSignIn }: InvitationPreview,
  isInvited: boolean,
): 'invitedTo' | 'signInFirst' | 'choosePassword' {
  if (isInvited) return 'invitedTo';
  return needsSignIn ? 'signInFirst' : 'choosePassword';
}

function withReturn(start: string): string {
  const url = new URL(start, location.origin);
  url.searchParams.set('return_to', returnTo());
  return url.toString();
}

/** Where the person wanted to go: only a page of this console. */
function returnTo(): string {
  const wanted = new URLSearchParams(location.search).get('return_to');
  if (wanted === null || !URL.canParse(wanted, location.origin)) return '/console';
  const { origin, pathname } = new URL(wanted, location.origin);
  return origin === location.origin && /^\/console(?:\/|$)/.test(pathname) ? wanted : '/console';
}

let code: string | null = null;

// Another link in the same window is another sign-in.
addEventListener('hashchange', () => location.reload());

/**
 * The code after the # of the address: of a one-time link or of an invitation. It is removed from the address at once,
 * so that it stays in no history.
 */
function takeCode(): string {
  if (code === null) {
    code = location.hash.slice(1);
    if (code !== '') history.replaceState(history.state, '', location.pathname + location.search);
  }
  return code;
}
