import { defineTexts } from '../text/define-texts.ts';

export const monthLimitTexts = defineTexts(
  'monthLimit',
  {
    spent: 'Spent this month: {spent} units. Requests over the limit are rejected until {time} KST.',
    limit: 'Month limit (units)',
    limitHint: 'The most that may be spent per calendar month (KST). Empty: no limit.',
    save: 'Save',
  },
  {
    spent: '이번 달에 {spent} 유닛을 사용했습니다. 한도를 넘는 요청은 {time}(KST)까지 거부됩니다.',
    limit: '월 한도 (유닛)',
    limitHint: '한 달(KST) 동안 쓸 수 있는 최대 유닛입니다. 비워 두면 한도가 없습니다.',
    save: '저장',
  },
);
