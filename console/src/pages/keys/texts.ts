import { defineTexts } from '../../text/define-texts.ts';

export const keysTexts = defineTexts('keys', {
  title: ['Keys', '키'],
  intro: [
    'What programs call this space with: who may spend, how much, and until when.',
    '프로그램이 이 스페이스를 호출할 때 쓰는 키입니다. 누가, 얼마나, 언제까지 쓸 수 있는지 정합니다.',
  ],
  introMember: [
    'Your keys in this space: what each has spent, and until when it works.',
    '이 스페이스에서 내가 가진 키입니다. 사용량과 만료 시각을 보여 줍니다.',
  ],
  tabs: ['Kinds of keys', '키 종류'],
  gatewayTab: ['Gateway keys (sk_)', '게이트웨이 키 (sk_)'],
  managementTab: ['Management keys (mk_)', '관리용 키 (mk_)'],
  tokensTab: ['Administration tokens (at_)', '관리 토큰 (at_)'],
  managementNote: [
    'A management key reads usage and balance of the space. It cannot call models.',
    '관리용 키는 스페이스의 사용량과 잔액을 조회합니다. 모델은 호출할 수 없습니다.',
  ],
  create: ['Create a key', '키 만들기'],
  endSet: [
    'Set by an administrator: the owner cannot move it by rotating the key.',
    '관리자가 정한 시각입니다. 소유자가 키를 교체해도 바뀌지 않습니다.',
  ],
  search: ['Name begins with', '이름 앞부분'],
  anyState: ['All but revoked', '폐기된 키 제외'],
  anyKind: ['Both', '모두'],
  personal: ['personal', '개인'],
  shared: ['shared', '공유'],
  management: ['management', '관리용'],
  active: ['active', '사용 중'],
  disabled: ['disabled', '비활성'],
  revoked: ['revoked', '폐기됨'],
  anyMember: ['E-mail', '이메일'],
  emptyTitle: ['There is no key yet', '아직 키가 없습니다'],
  emptyText: [
    'A program needs a key to call models. Create one here or on the command line:',
    '프로그램이 모델을 호출하려면 키가 필요합니다. 여기에서 만들거나 다음 명령을 실행하세요.',
  ],
  emptyManagement: ['There is no management key yet', '아직 관리용 키가 없습니다'],
  emptyManagementText: [
    'A program that reads usage needs one. Create it here or on the command line:',
    '사용량을 조회하는 프로그램에 필요합니다. 여기에서 만들거나 다음 명령을 실행하세요.',
  ],
  noneFound: ['No key matches the filters', '조건에 맞는 키가 없습니다'],
  secret: ['Secret', '비밀 값'],
  anOperator: ['an operator', '운영자'],
  formerUntil: ['Old secret works until (KST)', '이전 비밀 값 사용 가능 (KST)'],
  requestsOfKey: ['Requests of this key', '이 키의 요청'],
  ownerRemoved: [
    'The owner was removed from the space, so the key is rejected. It cannot be enabled.',
    '소유자가 스페이스에서 제거되어 키가 거부됩니다. 다시 활성화할 수 없습니다.',
  ],
  whyDisabled: [
    'The key is rejected until an administrator enables it.',
    '관리자가 활성화할 때까지 키가 거부됩니다.',
  ],
  whyExpired: [
    'The key has expired. Rotate it to get a new secret, or set a later time.',
    '키가 만료되었습니다. 교체하여 새 비밀 값을 받거나 만료 시각을 늦추세요.',
  ],
  whyRevoked: ['The key was revoked. It is rejected for good.', '폐기된 키입니다. 영구히 거부됩니다.'],
  rotate: ['Rotate', '교체'],
});
