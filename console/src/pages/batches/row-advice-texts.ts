/** What is wrong with a row of a batch file and how to fix it. The English is that of the API. */
import {
  type RowSentenceName,
  rowSentences,
} from '../../../../gateway/src/contract/batch-lines/row-sentences.ts';
import { defineTexts, type Said } from '../../text/define-texts.ts';

const korean: Readonly<Record<RowSentenceName, string>> = {
  json_empty: '줄이 비어 있습니다. JSON 객체가 필요합니다.',
  json_not_object: '줄이 JSON이지만 객체({braces})가 아닙니다.',
  json_not_utf8: '줄이 올바른 UTF-8이 아닙니다.',
  json_malformed: '줄이 올바른 JSON이 아닙니다.',
  json_malformed_at: '줄이 올바른 JSON이 아닙니다. 첫 오류는 {character}번째 글자에 있습니다.',
  json_too_deep: '줄의 중첩이 {max}단계를 넘습니다.',
  json_many_containers: '줄에 목록과 객체가 {max}개보다 많습니다.',
  json_many_keys: '줄에 키가 {max}개보다 많습니다.',
  json_many_values: '줄에 값이 {max}개보다 많습니다.',
  json_proto_key: '키 "__proto__"는 사용할 수 없습니다.',
  json_key_twice: '한 객체에 키 {key}가 두 번 있습니다.',
  carriage_return: '줄 안에 캐리지 리턴이 있습니다. 줄은 LF 또는 CRLF로 끝나야 합니다.',
  not_utf8: '줄이 올바른 UTF-8이 아닙니다. 파일을 UTF-8로 저장하세요.',
  no_rows: '파일에 행이 없습니다.',
  long_line: '줄이 {max}바이트보다 깁니다. 줄이세요.',
  too_many_rows: '파일은 최대 {max}행입니다. 나머지는 다른 파일에 넣으세요.',
  used_custom_id: '{row}행과 custom_id가 같습니다. 행마다 다른 값을 지정하세요.',
  empty_custom_id: 'custom_id가 비어 있습니다. 행에 고유한 이름을 지정하세요.',
  unstorable_custom_id: 'custom_id는 NUL과 깨진 글자가 없는 텍스트여야 합니다.',
  other_url: '앞의 행은 {url}용입니다. 한 파일에는 한 url만 쓸 수 있습니다.',
  other_model: '앞의 행은 {model}용입니다. 한 파일에는 한 모델만 쓸 수 있습니다.',
  unknown_line_field: '줄에는 {fields}만 쓸 수 있습니다. {field} 필드는 없습니다.',
  missing: '{field} 필드가 없습니다.',
  not_object: '{field} 필드는 객체여야 합니다.',
  not_string: '{field} 필드는 문자열이어야 합니다.',
  not_messages: '{field} 필드는 비어 있지 않은 메시지 목록이어야 합니다.',
  not_items: '{field} 필드는 문자열 또는 비어 있지 않은 객체 목록이어야 합니다.',
  not_text: '{field} 값은 비어 있지 않은 텍스트여야 합니다.',
  not_token: '{field} 값은 토큰 ID여야 합니다.',
  not_input: '{field} 필드는 텍스트, 텍스트 목록 또는 토큰 ID여야 합니다.',
  not_like_first: '{field} 값은 input[0]처럼 텍스트, 토큰 ID 또는 토큰 ID 목록이어야 합니다.',
  empty_list: '{field} 목록은 비어 있으면 안 됩니다.',
  long_list: '{field} 목록의 요소가 {count}개입니다. 배치 파일의 목록은 최대 {max}개입니다.',
  too_many_inputs: '이 행까지 임베딩 입력이 {count}개입니다. 파일에는 최대 {max}개까지 넣을 수 있습니다.',
  wrong_method: 'method는 {method}이(가) 아니라 "POST"여야 합니다.',
  wrong_url: 'url은 {url}이(가) 아니라 다음 중 하나여야 합니다: {urls}.',
  field_not_allowed: '배치에서는 {field} 필드를 쓸 수 없습니다. 빼세요.',
  stored_at_provider: '{field} 필드는 공급자에 저장된 것을 가리킵니다. 빼세요.',
  kept_response: '{field} 필드는 보관된 응답을 가리킵니다. 줄에는 대화 전체가 있어야 합니다.',
  no_output_cap: '{url}에는 {field} 필드가 없습니다. 빼세요.',
  other_output_cap: '{url}에는 {field} 필드가 없습니다. 출력 상한은 {own}입니다.',
  price_missing:
    '{field}에서 요청한 항목은 {model}에 가격이 없습니다({part}). 제거하거나 운영자에게 가격을 요청하세요.',
  no_service_tier: '임베딩 줄에는 service_tier가 없습니다. 빼세요.',
  service_tier_missing: 'body에 "service_tier": "default"를 추가하세요.',
  web_search_missing: '{model}의 줄에는 body에 {tools}이(가) 필요합니다.',
  unknown_model: '이 스페이스에는 모델 {model}이(가) 없습니다.',
  responses_only: '{model}은(는) /v1/responses만 지원합니다. 그 url로 줄을 작성하세요.',
  url_not_offered: '{model}은(는) {url}을(를) 지원하지 않습니다.',
  no_batches:
    '{model}은(는) 배치를 지원하지 않습니다. 지원하는 모델은 GET /v1/models(supports_batch)에서 확인하세요.',
};

const names = Object.keys(korean) as RowSentenceName[];

export const rowAdviceTexts = defineTexts(
  'rowAdvice',
  Object.fromEntries(names.map((name) => [name, [rowSentences[name], korean[name]]])) as unknown as Record<
    RowSentenceName,
    Said
  >,
);
