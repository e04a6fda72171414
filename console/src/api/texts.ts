import { defineTexts } from '../text/define-texts.ts';

/** What is said where the gateway itself said nothing. */
export const apiTexts = defineTexts('api', {
  noExplanation: [
    'The gateway answered with status {status} and no explanation.',
    '게이트웨이가 설명 없이 상태 코드 {status}로 응답했습니다.',
  ],
  unreachable: [
    'The gateway at {host} cannot be reached. Is it still running?',
    '{host}의 게이트웨이에 연결할 수 없습니다. 실행 중인지 확인하세요.',
  ],
  unreadable: ['The answer could not be read: {reason}.', '응답을 읽을 수 없습니다: {reason}.'],
  keyCharacters: [
    'A key has only letters, digits and an underscore; this one has something else in it.',
    '키에는 영문자, 숫자, 밑줄만 들어갑니다. 입력한 키에 다른 문자가 있습니다.',
  ],
  cutOff: ['The connection ended before the answer was whole.', '응답이 끝나기 전에 연결이 끊겼습니다.'],
});
