import { defineTexts } from '../../text/define-texts.ts';

export const tokenTexts = defineTexts('tokens', {
  title: ['Administration tokens', '관리 토큰'],
  note: [
    'A program uses a token (at_) to call the administration API. The audit log calls it token:NAME. It ends when its owner loses the right to it.',
    '프로그램이 관리 API를 호출할 때 쓰는 토큰(at_)입니다. 감사 기록에는 token:이름으로 남습니다. 책임자가 권한을 잃으면 종료됩니다.',
  ],
  create: ['Create a token', '토큰 만들기'],
  nameHint: [
    'What uses the token. The audit log calls it token:NAME.',
    '토큰을 쓰는 대상의 이름입니다. 감사 기록에 token:이름으로 남습니다.',
  ],
  access: ['Access', '권한'],
  read: ['read', '읽기'],
  write: ['read and write', '읽기 및 쓰기'],
  readChoice: ['Read: cannot change anything', '읽기: 아무것도 바꿀 수 없음'],
  writeChoice: [
    'Read and write: can change what you can, except administrators, invitations and tokens',
    '읽기 및 쓰기: 관리자, 초대, 토큰을 제외하고 내가 할 수 있는 변경 가능',
  ],
  owner: ['Owner', '책임자'],
  createdBy: ['created by {name}', '{name}이(가) 만듦'],
  ended: ['ended: the owner has lost the right to it', '종료됨: 책임자가 권한을 잃었습니다'],
  ownedText: [
    '{owner} answers for these tokens. Those to which they lose the right end now:',
    '{owner}이(가) 책임지는 토큰입니다. 권한을 잃는 토큰은 지금 종료됩니다.',
  ],
  installation: ['the installation', '설치 전체'],
  keepTokens: ['Keep them: I answer for them from now on', '유지: 이제부터 내가 책임집니다'],
  createSubmit: ['Create', '만들기'],
  madeTitle: ['The token {name} was created', '토큰 {name}을(를) 만들었습니다'],
  theToken: ['the token', '토큰'],
  revokeName: ['Revoke {name}', '{name} 폐기'],
  revokeTitle: ['Revoke the token {name} for good?', '토큰 {name}을(를) 영구히 폐기할까요?'],
  revokeText: [
    'Programs that use it are rejected at once. This cannot be undone; create a new token instead.',
    '이 토큰을 쓰는 프로그램은 즉시 거부됩니다. 되돌릴 수 없으니 필요하면 새로 만드세요.',
  ],
  empty: ['There is no token yet', '아직 토큰이 없습니다'],
  emptyText: [
    'A program that administers needs one. Create it here or on the command line:',
    '관리 작업을 하는 프로그램에 필요합니다. 여기에서 만들거나 다음 명령을 실행하세요.',
  ],
});
