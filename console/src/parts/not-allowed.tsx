/** In place of a page that the person may not use. */

import { defineTexts } from '../text/define-texts.ts';
import { useTexts } from '../text/say.ts';
import { Empty } from './empty.tsx';
import { Page } from './page.tsx';

const texts = defineTexts('notAllowed', {
  admin: ['Only administrators of the space see this page.', '스페이스 관리자만 볼 수 있는 페이지입니다.'],
  operator: ['Only operators of the installation see this page.', '운영자만 볼 수 있는 페이지입니다.'],
  next: ['Ask one of them if you need something here.', '필요한 것이 있으면 담당자에게 요청하세요.'],
});

export function NotAllowed({ title, needs }: { title: string; needs: 'admin' | 'operator' }) {
  const t = useTexts(texts);
  return (
    <Page title={title}>
      <Empty title={t(needs)} text={t('next')} />
    </Page>
  );
}
