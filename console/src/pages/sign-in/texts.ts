import { defineTexts } from '../../text/define-texts.ts';

export const signInTexts = defineTexts('signIn', {
  title: ['Sign in', '로그인'],
  signIn: ['Sign in', '로그인'],
  signInWith: ['Sign in with {issuer}', '{issuer} 계정으로 로그인'],
  or: ['or', '또는'],
  signingIn: ['Signing in …', '로그인하는 중 …'],
  invitedTo: ['You are invited to {space}.', '{space} 스페이스에 초대되었습니다.'],
  join: ['Join {space}', '{space} 참여하기'],
  choosePassword: [
    'You are invited to {space}. Choose a password of 10 or more characters.',
    '{space} 스페이스에 초대되었습니다. 10자 이상의 비밀번호를 정하세요.',
  ],
  signInFirst: [
    'You are invited to {space}. Sign in as {email}, then open this link again.',
    '{space} 스페이스에 초대되었습니다. {email} 계정으로 로그인한 다음 이 링크를 다시 여세요.',
  ],
  firstTitle: ['First operator', '첫 번째 운영자'],
  firstText: [
    'Nobody operates this installation yet. Choose the address and a password of 10 or more characters with which you sign in from now on.',
    '아직 이 설치의 운영자가 없습니다. 앞으로 로그인할 때 쓸 주소와 10자 이상의 비밀번호를 정하세요.',
  ],
  becomeOperator: ['Become the operator', '운영자 되기'],
  withKey: [
    'You have a key and no account? Connect with your key.',
    '계정 없이 키만 있나요? 키로 연결하세요.',
  ],
  unreachable: ['The server could not be reached. Try again.', '서버에 연결할 수 없습니다. 다시 시도하세요.'],
});
