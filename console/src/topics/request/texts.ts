import { defineTexts } from '../../text/define-texts.ts';

export const requestStatusTexts = defineTexts('requestStatus', {
  completed: ['Completed', '완료'],
  partial: ['Partial', '일부 완료'],
  failed: ['Failed', '실패'],
  rejected: ['Rejected', '거부됨'],
  notCharged: ['not charged', '청구 없음'],
  notChargedHint: ['It produced nothing, so nothing was charged.', '생성된 결과가 없어 청구되지 않았습니다.'],
});
