import { useLingui } from '@lingui/react';
import type { SignedOut } from '../../../gateway/src/contract/console.ts';
import { useGo } from '../addresses/use-go.ts';
import { send } from '../api/ask-console.ts';
import { Menu } from '../parts/menu.tsx';
import { SESSION_PATH, useSession } from '../session/session.ts';
import { chooseLanguage } from '../text/language.ts';
import { useTexts } from '../text/say.ts';
import { keepSessionKey } from '../topics/gateway-key/session-key.ts';
import { appTexts } from './texts.ts';
import { useTheme } from './theme.ts';

/** Account, language, theme, and signing out. */
export function PersonMenu() {
  const t = useTexts(appTexts);
  const { i18n } = useLingui();
  const { person } = useSession();
  const navigate = useGo();
  const [theme, chooseTheme] = useTheme();
  const signOut = async (): Promise<void> => {
    const { sign_out_url: elsewhere } = (await send('DELETE', SESSION_PATH)) as SignedOut;
    keepSessionKey('');
    // A whole new page: nothing of the session stays in memory.
    location.assign(elsewhere ?? '/console/sign-in');
  };
  return (
    <Menu
      label={t('person', { email: person.email })}
      items={[
        { label: t('account'), run: () => navigate({ to: '/account' }) },
        null,
        { label: t('english'), current: i18n.locale === 'en', run: () => chooseLanguage('en') },
        { label: t('korean'), current: i18n.locale === 'ko', run: () => chooseLanguage('ko') },
        null,
        { label: t('themeSystem'), current: theme === 'system', run: () => chooseTheme('system') },
        { label: t('themeLight'), current: theme === 'light', run: () => chooseTheme('light') },
        { label: t('themeDark'), current: theme === 'dark', run: () => chooseTheme('dark') },
        null,
        { label: t('signOut'), run: () => void signOut() },
      ]}
    >
      {person.nickname} <span aria-hidden="true">▾</span>
    </Menu>
  );
}
