import { defineTexts } from '../../text/define-texts.ts';

export const accountTexts = defineTexts('account', {
  title: ['Your account', '내 계정'],
  intro: ['Who you are here, and your password.', '내 정보와 비밀번호입니다.'],
  spaces: ['Your spaces', '내 스페이스'],
  operator: ['Operator', '운영자'],
  admin: ['Administrator', '관리자'],
  current: ['Current password', '현재 비밀번호'],
  currentHint: ['Leave it empty if you have no password yet.', '아직 비밀번호가 없으면 비워 두세요.'],
  next: ['New password', '새 비밀번호'],
  nextHint: ['10 to 200 characters.', '10~200자.'],
  change: ['Change the password', '비밀번호 변경'],
  changed: [
    '{count, plural, =0 {The password was changed.} one {The password was changed, and one other session was ended.} other {The password was changed, and # other sessions were ended.}}',
    '{count, plural, =0 {비밀번호를 변경했습니다.} other {비밀번호를 변경하고 다른 세션 #개를 종료했습니다.}}',
  ],
});
