import { defineTexts } from '../../text/define-texts.ts';

export const workloadTexts = defineTexts('workloads', {
  title: ['Workloads', '워크로드'],
  intro: [
    'Pods and CI jobs that call as this key, with a token of their platform instead of its secret.',
    '비밀 값 대신 플랫폼이 발급한 토큰으로 이 키처럼 호출하는 파드와 CI 작업입니다.',
  ],
  workload: ['Subject', '주체'],
  remove: ['Remove', '삭제'],
  removeName: ['Remove the rule for {subject}', '{subject} 규칙 삭제'],
  removeTitle: ['Remove the rule for {subject}?', '{subject} 규칙을 삭제할까요?'],
  removeText: [
    'Its tokens are rejected from then on, and its running calls end. You can add the rule again.',
    '이후 해당 토큰은 거부되고 진행 중인 호출은 종료됩니다. 규칙은 다시 추가할 수 있습니다.',
  ],
  empty: ['No workload calls as this key.', '이 키로 호출하는 워크로드가 없습니다.'],
  add: ['Add a workload', '워크로드 추가'],
  addTitle: ['Add a workload for {name}', '{name}에 워크로드 추가'],
  addSubmit: ['Add', '추가'],
  issuer: ['Issuer', '발급자'],
  issuerHint: [
    'The name that the operator gave to the platform, such as cluster or github.',
    '운영자가 플랫폼에 붙인 이름입니다. 예: cluster, github',
  ],
  subjectHint: [
    'The sub of its tokens. One that ends with :* or /* covers all that begin like it.',
    '토큰의 sub 값입니다. :* 또는 /*로 끝나면 그렇게 시작하는 모든 주체에 적용됩니다.',
  ],
  usable: ['This space may use: {subjects}.', '이 스페이스가 쓸 수 있는 주체: {subjects}.'],
  askOperator: [
    'An operator decides which subjects this space may use. It has none yet.',
    '이 스페이스가 쓸 수 있는 주체는 운영자가 정합니다. 아직 없습니다.',
  ],
  claims: ['Claims (optional)', '클레임 (선택)'],
  claimsHint: [
    'What a token must have too, one per line, such as ref=refs/heads/main. A value may end with *.',
    '토큰에 추가로 있어야 하는 값입니다. 한 줄에 하나씩 적습니다. 예: ref=refs/heads/main. 값은 *로 끝날 수 있습니다.',
  ],
});
