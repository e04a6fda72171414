import { defineTexts } from '../text/define-texts.ts';

export const monthPickerTexts = defineTexts('month-picker', {
  month: ['Month (KST)', '월 (KST)'],
  earlier: ['Earlier month', '이전 달'],
  later: ['Later month', '다음 달'],
  period: ['From {start} until {end} (KST)', '{start}부터 {end} 전까지 (KST)'],
});
