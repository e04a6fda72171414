/** Creates a link that signs a person in once, for operators. */
import { useChange } from '../api/use-operation.ts';
import { defineTexts } from '../text/define-texts.ts';
import { useTexts } from '../text/say.ts';
import { printKst } from '../text/times.ts';
import { FormDialog } from './form-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';

const texts = defineTexts('signInLink', {
  title: ['Sign-in link for {email}', '{email}의 로그인 링크'],
  ask: [
    'Anyone who opens the link is signed in as this person. It works once, for a short time.',
    '링크를 여는 사람은 누구나 이 사람으로 로그인됩니다. 짧은 시간 동안 한 번만 작동합니다.',
  ],
  create: ['Create the link', '링크 만들기'],
  until: [
    'It works once, until {time} KST. Send it only to this person.',
    '{time}(KST)까지 한 번만 작동합니다. 본인에게만 보내세요.',
  ],
  theLink: ['the link', '링크'],
});

export function SignInLinkDialog({ email, onClose }: { email: string; onClose(): void }) {
  const t = useTexts(texts);
  const link = useChange('people.link');
  const title = t('title', { email });
  if (link.data === undefined)
    return (
      <FormDialog
        title={title}
        submit={t('create')}
        followed
        run={() => link.mutateAsync({ email })}
        onClose={onClose}
      >
        <p>{t('ask')}</p>
      </FormDialog>
    );
  const { code, expires_at } = link.data;
  return (
    <SecretDialog
      title={title}
      secret={`${location.origin}/console/sign-in#${code}`}
      what={t('theLink')}
      onClose={onClose}
    >
      <p className="hint">{t('until', { time: printKst(expires_at) })}</p>
    </SecretDialog>
  );
}
