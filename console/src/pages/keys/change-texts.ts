import { defineTexts } from '../../text/define-texts.ts';

/** What the dialogs of a key say. */
export const keyChangeTexts = defineTexts('keyChanges', {
  createTitle: ['Create a key', '키 만들기'],
  nameHint: [
    'What uses the key, such as ci or laptop. It is shown in usage reports.',
    'ci, laptop처럼 키를 쓰는 대상의 이름입니다. 사용량 보고서에 표시됩니다.',
  ],
  personal: ['Personal: belongs to one member', '개인: 한 멤버의 키'],
  shared: ['Shared: belongs to the space', '공유: 스페이스의 키'],
  management: ['Management: reads usage, cannot call models', '관리용: 사용량 조회 전용, 모델 호출 불가'],
  ownerHint: ['The e-mail address of a member.', '멤버의 이메일 주소입니다.'],
  newTitle: ['The key {name} was created', '키 {name}을(를) 만들었습니다'],
  partial: [
    'The key exists and works, but something could not be set. Set it in the details of the key.',
    '키는 만들어졌고 사용할 수 있지만 일부 설정을 적용하지 못했습니다. 키 상세 정보에서 설정하세요.',
  ],
  failed: ['{what}: {sentence}', '{what}: {sentence}'],
  rotateTitle: ['Rotate {name}', '{name} 교체'],
  rotate: ['Rotate', '교체'],
  rotateText: [
    'The key gets a new secret. Its name, limits and what it has spent this month stay. Replace the secret in your programs while the old one still works.',
    '키에 새 비밀 값을 발급합니다. 이름, 한도, 이번 달 사용량은 그대로입니다. 이전 값이 작동하는 동안 프로그램의 값을 바꾸세요.',
  ],
  grace: ['Old secret keeps working for (hours)', '이전 비밀 값 유지 (시간)'],
  graceHint: [
    '0 to {max} hours. 0: the old secret is rejected at once.',
    '0~{max}시간. 0이면 이전 값이 즉시 거부됩니다.',
  ],
  oldUntil: ['The old secret works until about {time} KST.', '이전 비밀 값은 약 {time}(KST)까지 작동합니다.'],
  oldNow: ['The old secret is rejected at once.', '이전 비밀 값은 즉시 거부됩니다.'],
  rotatedTitle: ['The new secret of {name}', '{name}의 새 비밀 값'],
  rotatedUntil: [
    'The old secret works until {time} KST. What the key has spent stays.',
    '이전 비밀 값은 {time}(KST)까지 작동합니다. 키의 사용량은 그대로입니다.',
  ],
  disableOwn: [
    'You cannot enable it again yourself: ask an administrator of the space.',
    '직접 다시 활성화할 수는 없습니다. 스페이스 관리자에게 요청하세요.',
  ],
  revokeTitle: ['Revoke {name} for good?', '{name}을(를) 영구히 폐기할까요?'],
  revoke: ['Revoke for good', '영구히 폐기'],
  revokeText: [
    'Requests with this key are rejected within about a second. This cannot be undone. What it spent stays in usage reports. To stop it for a while, disable it instead.',
    '약 1초 안에 이 키의 요청이 거부됩니다. 되돌릴 수 없습니다. 사용 내역은 보고서에 남습니다. 잠시 멈추려면 비활성화하세요.',
  ],
  onlyThisKey: [
    'It holds for this key. {owner} can create other keys.',
    '이 키에만 적용됩니다. {owner}은(는) 다른 키를 만들 수 있습니다.',
  ],
  allKeysOf: ['Set it for all keys of {owner}', '{owner}의 모든 키에 설정'],
});
