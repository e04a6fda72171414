/** Why a row of a batch file is rejected, in a few words; the sentence beside it says how to fix it. */
import type { RowReason } from '../../../../gateway/src/contract/batch-lines/batch-limits.ts';
import { defineTexts, type Said } from '../../text/define-texts.ts';

export const rowReasonTexts = defineTexts('rowReasons', {
  invalid_json: ['Not valid JSON', '올바른 JSON이 아님'],
  invalid_utf8: ['Not UTF-8', 'UTF-8이 아님'],
  line_too_long: ['Line too long', '줄이 너무 김'],
  missing_field: ['Field missing', '필드 없음'],
  unknown_field: ['Unknown field', '알 수 없는 필드'],
  invalid_type: ['Wrong type', '잘못된 형식'],
  invalid_method: ['Wrong method', '잘못된 메서드'],
  unsupported_url: ['Unsupported url', '지원하지 않는 url'],
  mixed_endpoint: ['Another url than the rows before', '앞의 행과 다른 url'],
  mixed_model: ['Another model than the rows before', '앞의 행과 다른 모델'],
  duplicate_custom_id: ['custom_id used twice', 'custom_id 중복'],
  service_tier_required: ['service_tier missing', 'service_tier 없음'],
  service_tier_not_allowed: ['service_tier not allowed', 'service_tier 사용 불가'],
  field_not_allowed: ['Field not allowed in a batch', '배치에서 쓸 수 없는 필드'],
  endpoint_requires_web_search: ['web_search tool missing', 'web_search 도구 없음'],
  price_missing: ['No price for it', '가격 없음'],
  responses_only_model: ['Model for /v1/responses only', '/v1/responses 전용 모델'],
  model_not_found: ['Model not found', '모델 없음'],
  model_not_batchable: ['Model without batches', '배치를 지원하지 않는 모델'],
  too_many_rows: ['Too many rows', '행이 너무 많음'],
  too_many_embedding_inputs: ['Too many embedding inputs', '임베딩 입력이 너무 많음'],
  embedding_array_too_long: ['List too long', '목록이 너무 김'],
  empty_file: ['Empty file', '빈 파일'],
} satisfies Record<RowReason, Said>);
