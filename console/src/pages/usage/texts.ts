import { defineTexts } from '../../text/define-texts.ts';

export const usageTexts = defineTexts('usage', {
  title: ['Usage', '사용량'],
  intro: [
    'What the space used in a calendar month, exact to the last digit.',
    '한 달 동안 스페이스가 사용한 양입니다. 모든 합계는 마지막 자리까지 정확합니다.',
  ],
  introOwn: [
    'What your keys used in a calendar month, exact to the last digit.',
    '한 달 동안 내 키가 사용한 양입니다. 모든 합계는 마지막 자리까지 정확합니다.',
  ],
  requestsHint: [
    'Failed and rejected requests cost nothing and are not counted.',
    '실패하거나 거부된 요청은 비용이 없으며 세지 않습니다.',
  ],
  unpriced: ['Unknown cost', '비용 알 수 없음'],
  unpricedHint: [
    'Requests that used something without a price. Their cost is unknown, not zero, and is in no sum.',
    '단가가 없는 항목을 사용한 요청입니다. 비용은 0이 아니라 알 수 없으며 합계에 포함되지 않습니다.',
  ],
  by: ['Usage by', '사용량 기준'],
  by_model: ['By model', '모델별'],
  by_key: ['By key', '키별'],
  by_member: ['By member', '멤버별'],
  by_day: ['By day', '일별'],
  by_end_user: ['By end user', '최종 사용자별'],
  by_session: ['By session', '세션별'],
  by_tag: ['By tag', '태그별'],
  name_model: ['Model', '모델'],
  name_key: ['Key', '키'],
  name_member: ['Member', '멤버'],
  name_day: ['Day (KST)', '날짜 (KST)'],
  name_end_user: ['End user', '최종 사용자'],
  name_session: ['Session', '세션'],
  name_tag: ['Tag', '태그'],
  untagged: ['Without a value', '값 없음'],
  other: ['Other values, not reported by name', '이름별로 집계하지 않는 기타 값'],
  attributedHint: [
    'All rows together are the total. The tags, the end user and the session of a request are shown with its receipt.',
    '모든 행의 합이 전체 합계입니다. 요청의 태그, 최종 사용자, 세션은 해당 요청의 상세 정보에 표시됩니다.',
  ],
  byDayAndModel: ['Units by day and model', '일별·모델별 유닛'],
  others: ['Other models', '기타 모델'],
  sharedKeys: ['Shared keys', '공유 키'],
  none: ['Nothing was used in this month', '이 달에는 사용량이 없습니다'],
  noneText: [
    'Choose another month, or read it on the command line:',
    '다른 달을 선택하거나 명령줄에서 확인하세요.',
  ],
  clickHint: [
    'A row opens its requests. Batches and videos are part of the usage, but are listed on their own pages.',
    '행을 누르면 해당 요청이 열립니다. 배치와 동영상은 사용량에 포함되지만 각 페이지에 표시됩니다.',
  ],
});
