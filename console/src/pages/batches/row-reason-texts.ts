/** Why a row of a batch file is rejected, in a few words; the sentence beside it says how to fix it. */
import type { RowReason } from '../../../../gateway/src/contract/batch-lines/batch-limits.ts';

type ReasonKey = `reason_${RowReason}`;

const en: Readonly<Record<ReasonKey, string>> = {
  reason_invalid_json: 'Not valid JSON',
  reason_invalid_utf8: 'Not UTF-8',
  reason_line_too_long: 'Line too long',
  reason_missing_field: 'Field missing',
  reason_unknown_field: 'Unknown field',
  reason_invalid_type: 'Wrong type',
  reason_invalid_method: 'Wrong method',
  reason_unsupported_url: 'Unsupported url',
  reason_mixed_endpoint: 'Another url than the rows before',
  reason_mixed_model: 'Another model than the rows before',
  reason_duplicate_custom_id: 'custom_id used twice',
  reason_service_tier_required: 'service_tier missing',
  reason_service_tier_not_allowed: 'service_tier not allowed',
  reason_field_not_allowed: 'Field not allowed in a batch',
  reason_endpoint_requires_web_search: 'web_search tool missing',
  reason_responses_only_model: 'Model for /v1/responses only',
  reason_model_not_found: 'Model not found',
  reason_model_not_batchable: 'Model without batches',
  reason_too_many_rows: 'Too many rows',
  reason_too_many_embedding_inputs: 'Too many embedding inputs',
  reason_embedding_array_too_long: 'List too long',
  reason_empty_file: 'Empty file',
};

const ko: Readonly<Record<ReasonKey, string>> = {
  reason_invalid_json: '올바른 JSON이 아님',
  reason_invalid_utf8: 'UTF-8이 아님',
  reason_line_too_long: '줄이 너무 김',
  reason_missing_field: '필드 없음',
  reason_unknown_field: '알 수 없는 필드',
  reason_invalid_type: '잘못된 형식',
  reason_invalid_method: '잘못된 메서드',
  reason_unsupported_url: '지원하지 않는 url',
  reason_mixed_endpoint: '앞의 행과 다른 url',
  reason_mixed_model: '앞의 행과 다른 모델',
  reason_duplicate_custom_id: 'custom_id 중복',
  reason_service_tier_required: 'service_tier 없음',
  reason_service_tier_not_allowed: 'service_tier 사용 불가',
  reason_field_not_allowed: '배치에서 쓸 수 없는 필드',
  reason_endpoint_requires_web_search: 'web_search 도구 없음',
  reason_responses_only_model: '/v1/responses 전용 모델',
  reason_model_not_found: '모델 없음',
  reason_model_not_batchable: '배치를 지원하지 않는 모델',
  reason_too_many_rows: '행이 너무 많음',
  reason_too_many_embedding_inputs: '임베딩 입력이 너무 많음',
  reason_embedding_array_too_long: '목록이 너무 김',
  reason_empty_file: '빈 파일',
};

export const rowReasonTexts = { en, ko };
