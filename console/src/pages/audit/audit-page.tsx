/** Who changed what in a space, and when. */
import { NotAllowed } from '../../app/not-allowed.tsx';
import { useRole, useSpace } from '../../app/session.ts';
import { useSearchState } from '../../app/use-search.ts';
import { CsvButton } from '../../parts/csv-button.tsx';
import { Page } from '../../parts/page.tsx';
import { useTexts } from '../../text/define-texts.ts';
import { auditInput } from './audit-filters.tsx';
import { AuditLog } from './audit-log.tsx';
import { auditTexts } from './texts.ts';

export function AuditView() {
  const t = useTexts(auditTexts);
  const space = useSpace();
  const { isAdmin } = useRole();
  const [search] = useSearchState();
  if (!isAdmin) return <NotAllowed title={t('title')} needs="admin" />;
  return (
    <Page
      title={t('title')}
      intro={t('intro')}
      actions={<CsvButton name="audit.list" input={{ space, ...auditInput(search) }} />}
    >
      <AuditLog space={space} />
    </Page>
  );
}
