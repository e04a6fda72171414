import { defineTexts } from '../../text/define-texts.ts';

export const membersTexts = defineTexts('members', {
  title: ['Members', '멤버'],
  intro: [
    'Who belongs to this space, what they may do, and how much they spend.',
    '이 스페이스의 멤버와 권한, 사용량입니다.',
  ],
  tabs: ['Members and invitations', '멤버와 초대'],
  membersTab: ['Members', '멤버'],
  invitationsTab: ['Invitations', '초대'],
  invite: ['Invite someone', '초대하기'],
  search: ['E-mail or name', '이메일 또는 이름'],
  anyRole: ['All roles', '모든 역할'],
  admin: ['administrator', '관리자'],
  member: ['member', '멤버'],
  keys: ['Active keys', '사용 중인 키'],
  keysOf: ['Keys of {email}', '{email}의 키'],
  lastActive: ['Last active', '마지막 활동'],
  unconfirmed: ['unconfirmed', '미확인'],
  unconfirmedText: [
    'They created their account with an invitation link, and nobody has confirmed that the address is theirs. They see only the spaces whose invitation they accepted.',
    '초대 링크로 계정을 만들었으며 본인의 주소인지 아직 확인되지 않았습니다. 직접 수락한 스페이스만 볼 수 있습니다.',
  ],
  empty: ['No member matches the filters', '조건에 맞는 멤버가 없습니다'],
  emptyText: ['Invite someone, or add them on the command line:', '초대하거나 다음 명령으로 추가하세요.'],
  since: ['Member since (KST)', '가입 (KST)'],
  notFound: ['{email} is not a member of this space.', '{email}은(는) 이 스페이스의 멤버가 아닙니다.'],
  changeRole: ['Change role', '역할 변경'],
  changeName: ['Change name', '이름 변경'],
  remove: ['Remove', '제거'],
  forAllKeys: [
    'It holds for all personal keys of this member together, also for those that they create later.',
    '이 멤버의 모든 개인 키에 함께 적용되며, 나중에 만드는 키에도 적용됩니다.',
  ],
  roleTitle: ['Role of {email}', '{email}의 역할'],
  roleAdmin: [
    'An administrator manages keys, members, limits and projects of this space, and sees everything in it.',
    '관리자는 이 스페이스의 키, 멤버, 한도, 프로젝트를 관리하고 모든 내용을 볼 수 있습니다.',
  ],
  roleMember: [
    'A member sees their own keys, requests, batches and usage, and creates personal keys.',
    '멤버는 자신의 키, 요청, 배치, 사용량을 보고 개인 키를 만들 수 있습니다.',
  ],
  ownRole: [
    'This is your own role. If you give it up, another administrator has to give it back.',
    '자신의 역할입니다. 내려놓으면 다른 관리자가 다시 부여해야 합니다.',
  ],
  nameTitle: ['Name of {email}', '{email}의 이름'],
  nameHint: ['Shown in lists and usage reports.', '목록과 사용량 보고서에 표시됩니다.'],
  removeTitle: ['Remove {email}?', '{email}을(를) 제거할까요?'],
  removeKeys: [
    '{count, plural, =0 {They have no active keys.} one {Their personal key stops working within about a second, for good.} other {Their # personal keys stop working within about a second, for good.}}',
    '{count, plural, =0 {사용 중인 키가 없습니다.} other {개인 키 #개가 약 1초 안에 영구히 중지됩니다.}}',
  ],
  removeText: [
    'Shared keys keep working. What they spent stays in usage reports. You can add them again, but their old keys stay rejected.',
    '공유 키는 계속 작동합니다. 사용 내역은 보고서에 남습니다. 다시 추가할 수 있지만 이전 키는 계속 거부됩니다.',
  ],
  removeConfirm: ['Remove the member', '멤버 제거'],
});

export const invitationTexts = defineTexts('invitations', {
  title: ['Invitations', '초대'],
  emailHint: ['Only the person with this address can accept.', '이 주소의 본인만 수락할 수 있습니다.'],
  admin: ['administrator', '관리자'],
  member: ['member', '멤버'],
  open: ['open', '대기 중'],
  accepted: ['accepted', '수락됨'],
  revoked: ['revoked', '취소됨'],
  revoke: ['Revoke', '초대 취소'],
  revokeName: ['Revoke the invitation of {email}', '{email} 초대 취소'],
  revokeTitle: ['Revoke the invitation of {email}?', '{email}의 초대를 취소할까요?'],
  revokeText: [
    'The link stops working at once. You can invite the person again with a new link.',
    '링크가 즉시 작동을 멈춥니다. 새 링크로 다시 초대할 수 있습니다.',
  ],
  inviteTitle: ['Invite someone', '초대하기'],
  inviteText: [
    'You get a link that you send yourself. An open invitation of the same address is replaced.',
    '직접 전달할 링크를 만듭니다. 같은 주소의 대기 중인 초대는 새 초대로 바뀝니다.',
  ],
  create: ['Create the link', '링크 만들기'],
  madeTitle: ['Invitation for {email}', '{email} 초대'],
  madeText: [
    'Send this link to {email}. It works once, until {time} KST.',
    '이 링크를 {email}에게 보내세요. {time}(KST)까지 한 번 사용할 수 있습니다.',
  ],
  theLink: ['the link', '링크'],
  emptyTitle: ['There is no invitation yet', '아직 초대가 없습니다'],
  emptyText: ['Invite someone here or on the command line:', '여기에서 초대하거나 다음 명령을 실행하세요.'],
});
