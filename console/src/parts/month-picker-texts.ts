import { defineTexts } from '../text/define-texts.ts';

export const monthPickerTexts = defineTexts(
  'month-picker',
  {
    month: 'Month (KST)',
    earlier: 'Earlier month',
    later: 'Later month',
    period: 'From {start} until {end} (KST)',
  },
  {
    month: '월 (KST)',
    earlier: '이전 달',
    later: '다음 달',
    period: '{start}부터 {end} 전까지 (KST)',
  },
);
