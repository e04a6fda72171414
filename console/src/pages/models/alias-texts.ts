import { defineTexts } from '../../text/define-texts.ts';

export const aliasTexts = defineTexts('aliases', {
  title: ['Aliases', '별칭'],
  intro: [
    'Other names for models. Send one as model: the call is answered, charged and recorded as its model.',
    '모델의 다른 이름입니다. model에 별칭을 보내면 해당 모델이 응답하고, 그 모델로 과금되고 기록됩니다.',
  ],
  name: ['Alias', '별칭'],
  nameHint: [
    'Such as fast: letters, digits, dots, hyphens and underscores.',
    '예: fast. 영문자, 숫자, 마침표, 하이픈, 밑줄을 사용할 수 있습니다.',
  ],
  source: ['Set by', '설정 위치'],
  space: ['This space', '이 스페이스'],
  configuration: ['Configuration, for all spaces', '구성 파일(모든 스페이스)'],
  broken: ['does not work', '작동하지 않음'],
  add: ['Add an alias', '별칭 추가'],
  addTitle: ['Add an alias', '별칭 추가'],
  change: ['Change', '변경'],
  changeName: ['Change the alias {name}', '별칭 {name} 변경'],
  remove: ['Remove', '삭제'],
  removeName: ['Remove the alias {name}', '별칭 {name} 삭제'],
  removeTitle: ['Remove {name}?', '{name} 별칭을 삭제할까요?'],
  removeText: [
    'Calls with {name} as model will be rejected, unless the configuration has this alias too.',
    '구성 파일에 같은 별칭이 없으면 model이 {name}인 호출은 거부됩니다.',
  ],
});
