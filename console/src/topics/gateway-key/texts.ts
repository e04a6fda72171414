import { defineTexts } from '../../text/define-texts.ts';

export const keyTexts = defineTexts('gateway-key', {
  key: ['Gateway key', '게이트웨이 키'],
  none: [
    'This page calls the gateway with a key. It stays in this tab and is gone when you close it.',
    '이 페이지는 키로 게이트웨이를 호출합니다. 키는 이 탭에만 있으며 탭을 닫으면 사라집니다.',
  ],
  use: ['Use this key', '이 키 사용'],
  paste: ['Paste a gateway key', '게이트웨이 키 붙여 넣기'],
  making: ['Creating …', '만드는 중 …'],
  or: ['or', '또는'],
  named: ['Key {name}', '키 {name}'],
  unnamed: ['Key {hint}', '키 {hint}'],
  elsewhere: [
    'You do not see this key in this space: its calls may be charged to another one.',
    '이 스페이스에서 볼 수 없는 키입니다. 다른 스페이스에 청구될 수 있습니다.',
  ],
  forget: ['Use another key', '다른 키 사용'],
});
