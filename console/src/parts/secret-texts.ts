import { defineTexts } from '../text/define-texts.ts';

export const secretTexts = defineTexts('secret', {
  once: [
    'Copy it now. It is shown only here, and nobody can show it again.',
    '지금 복사하세요. 여기에서만 표시되며 다시 볼 수 없습니다.',
  ],
  done: ['Done', '완료'],
  notCopied: [
    'You have not copied it. After closing it cannot be shown again.',
    '아직 복사하지 않았습니다. 닫으면 다시 볼 수 없습니다.',
  ],
  closeAnyway: ['Close without copying', '복사하지 않고 닫기'],
  back: ['Back to it', '돌아가기'],
});
