import { defineTexts } from '../../text/define-texts.ts';

export const keyTexts = defineTexts(
  'gateway-key',
  {
    key: 'Gateway key',
    none: 'This page calls the gateway with a key. It stays in this tab and is gone when you close it.',
    use: 'Use this key',
    paste: 'Paste a gateway key',
    making: 'Creating …',
    or: 'or',
    named: 'Key {name}',
    unnamed: 'Key {hint}',
    elsewhere: 'You do not see this key in this space: its calls may be charged to another one.',
    forget: 'Use another key',
  },
  {
    key: '게이트웨이 키',
    none: '이 페이지는 키로 게이트웨이를 호출합니다. 키는 이 탭에만 있으며 탭을 닫으면 사라집니다.',
    use: '이 키 사용',
    paste: '게이트웨이 키 붙여 넣기',
    making: '만드는 중 …',
    or: '또는',
    named: '키 {name}',
    unnamed: '키 {hint}',
    elsewhere: '이 스페이스에서 볼 수 없는 키입니다. 다른 스페이스에 청구될 수 있습니다.',
    forget: '다른 키 사용',
  },
);
