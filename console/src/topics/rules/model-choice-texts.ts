import { defineTexts } from '../../text/define-texts.ts';

export const modelChoiceTexts = defineTexts('modelChoice', {
  models: ['Models', '모델'],
  allModels: ['All models of the space', '스페이스의 모든 모델'],
  someModels: ['Only these models', '선택한 모델만'],
  chooseModel: ['Choose at least one model.', '모델을 하나 이상 선택하세요.'],
});
