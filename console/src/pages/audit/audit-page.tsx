/** Who changed what in a space, and when. */

import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { CsvButton } from '../../parts/csv-button.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { Page } from '../../parts/page.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { auditInput } from '../../topics/audit-log/audit-filters.tsx';
import { AuditLog } from '../../topics/audit-log/audit-log.tsx';
import { auditTexts } from '../../topics/audit-log/texts.ts';

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
