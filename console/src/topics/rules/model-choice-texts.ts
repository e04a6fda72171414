import { defineTexts } from '../../text/define-texts.ts';

export const modelChoiceTexts = defineTexts(
  'modelChoice',
  {
    models: 'Models',
    allModels: 'All models of the space',
    someModels: 'Only these models',
    chooseModel: 'Choose at least one model.',
  },
  {
    models: '모델',
    allModels: '스페이스의 모든 모델',
    someModels: '선택한 모델만',
    chooseModel: '모델을 하나 이상 선택하세요.',
  },
);
