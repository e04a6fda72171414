import { defineTexts } from '../../text/define-texts.ts';

export const deviceTexts = defineTexts('device', {
  title: ['Sign in a command line', '명령줄 로그인'],
  compare: [
    'A command line wants to sign in as you. Continue only if you started “tollgate login” yourself just now, and it shows this code.',
    '명령줄이 내 계정으로 로그인하려고 합니다. 방금 직접 “tollgate login”을 실행했고 터미널에 같은 코드가 보일 때만 계속하세요.',
  ],
  code: ['Code in the terminal', '터미널에 표시된 코드'],
  codeHint: ['Eight letters, such as BCDF-GHJK.', 'BCDF-GHJK와 같은 여덟 글자입니다.'],
  continue: ['Continue', '계속'],
  machine: ['Machine', '컴퓨터'],
  address: ['Network address', '네트워크 주소'],
  sameAddress: ['the same as yours', '내 주소와 같음'],
  since: ['Started', '시작 시각'],
  otherAddress: [
    'The command line is at another network address than you. If somebody sent you this link, reject it: they would get your access. If it is yours, type the code that your own terminal shows.',
    '명령줄의 네트워크 주소가 내 주소와 다릅니다. 다른 사람이 이 링크를 보냈다면 거부하세요. 그 사람이 내 권한을 얻게 됩니다. 직접 시작했다면 내 터미널에 보이는 코드를 입력하세요.',
  ],
  allow: ['Sign it in as {email}', '{email} 계정으로 로그인시키기'],
  reject: ['Reject', '거부'],
  signedIn: [
    'The command line is signed in. You can close this page.',
    '명령줄이 로그인되었습니다. 이 페이지를 닫아도 됩니다.',
  ],
  rejected: [
    'The command line was rejected. You can close this page.',
    '명령줄을 거부했습니다. 이 페이지를 닫아도 됩니다.',
  ],
});
