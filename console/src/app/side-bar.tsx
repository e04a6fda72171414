/** The pages by what people do. */
import { Link } from '@tanstack/react-router';
import { spacePage } from '../addresses/space-page.ts';
import { useSession } from '../session/session.ts';
import icon from '../style/icon.svg';
import { useTexts } from '../text/say.ts';
import { operatorPages, pageGroups } from './pages.ts';
import style from './side-bar.module.css';
import { appTexts } from './texts.ts';
import { useCurrentSpace } from './use-current-space.ts';

/** `onGo`: a page was chosen. */
export function SideBar({ onGo }: { onGo(): void }) {
  const t = useTexts(appTexts);
  const { person } = useSession();
  const space = useCurrentSpace();
  const isAdmin = space !== null && space.role !== 'member';
  return (
    <nav id="side-bar" className={style.bar} aria-label={t('pages')}>
      <Link to="/" className={style.brand} onClick={onGo}>
        <img src={icon} alt="" width="26" height="26" />
        Tollgate
      </Link>
      {space !== null &&
        pageGroups.map(({ title, pages }) => (
          <div key={title ?? ''} className={style.group}>
            {title !== null && <p>{t(title)}</p>}
            {pages
              .filter(({ admin }) => !admin || isAdmin)
              .map((page) => (
                <Link
                  key={page.path}
                  {...spacePage(space.name, page.path)}
                  className={style.link}
                  activeProps={{ 'aria-current': 'page' }}
                  onClick={onGo}
                >
                  {t(page.path)}
                </Link>
              ))}
          </div>
        ))}
      {person.operator && (
        <div className={style.group}>
          <p>{t('installation')}</p>
          {operatorPages.map(({ name, to }) => (
            <Link
              key={name}
              to={to}
              className={style.link}
              activeOptions={{ exact: true, includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
              onClick={onGo}
            >
              {t(name)}
            </Link>
          ))}
        </div>
      )}
      <div className={style.group}>
        <a href="/docs" className={style.link}>
          {t('apiReference')}
        </a>
      </div>
    </nav>
  );
}
