import { defineTexts } from '../../text/define-texts.ts';

export const requestStatusTexts = defineTexts(
  'requestStatus',
  {
    completed: 'Completed',
    partial: 'Partial',
    failed: 'Failed',
    rejected: 'Rejected',
    notCharged: 'not charged',
    notChargedHint: 'It produced nothing, so nothing was charged.',
  },
  {
    completed: '완료',
    partial: '일부 완료',
    failed: '실패',
    rejected: '거부됨',
    notCharged: '청구 없음',
    notChargedHint: '생성된 결과가 없어 청구되지 않았습니다.',
  },
);
