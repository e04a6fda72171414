/** What the console says of each rule: its control, its dialog and its value. */
import type {
  RuleName,
  SettingName,
  SettingTable,
} from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import { defineTexts, type Said } from '../../text/define-texts.ts';

type RulesOf<Name extends SettingName> = SettingTable[Name]['rules'];
/** One that turns a rule on and off. */
type Switching = {
  [Name in SettingName]: RulesOf<Name>[keyof RulesOf<Name>] extends { kind: 'switch' } ? Name : never;
}[SettingName];
type SwitchTexts =
  | '_on'
  | '_on_title'
  | '_on_confirm'
  | '_on_text'
  | '_off'
  | '_off_title'
  | '_off_confirm'
  | '_off_text';

/** A rule without its texts does not compile. */
type Needed =
  | RuleName
  | `${Exclude<SettingName, Switching>}${'_set' | '_title'}`
  | `${Switching}${SwitchTexts}`;

export const ruleTexts = defineTexts('rules', {
  emptyNoLimit: ['Empty: no limit.', '비워 두면 한도가 없습니다.'],
  noTags: ['None', '없음'],
  allModels: ['all models of the space', '스페이스의 모든 모델'],
  on: ['on', '켜짐'],
  off: ['off', '꺼짐'],

  month_limit: ['Month limit (units)', '월 한도 (유닛)'],
  month_limit_hint: [
    'The most that may be spent per calendar month (KST). Empty: no limit.',
    '한 달(KST) 동안 쓸 수 있는 최대 유닛입니다. 비워 두면 한도가 없습니다.',
  ],
  limit_set: ['Set month limit', '월 한도 설정'],
  limit_title: ['Month limit of {name}', '{name}의 월 한도'],
  limit_spent: [
    'Spent this month: {spent} units. Requests over the limit are rejected until {time} KST.',
    '이번 달에 {spent} 유닛을 사용했습니다. 한도를 넘는 요청은 {time}(KST)까지 거부됩니다.',
  ],

  requests_per_minute: ['Requests per minute', '분당 요청 수'],
  tokens_per_minute: ['Tokens per minute', '분당 토큰 수'],
  rate: ['Rate limits', '분당 한도'],
  rate_set: ['Set rate limits', '분당 한도 설정'],
  rate_title: ['Rate limits of {name}', '{name}의 분당 한도'],

  models: ['Models', '모델'],
  models_set: ['Choose models', '모델 선택'],
  models_set_member: ['Set models', '모델 설정'],
  models_title: ['Models of {name}', '{name}의 모델'],

  tags: ['Default tags', '기본 태그'],
  tags_hint: [
    'As key=value, separated by commas. Empty: none. Tags of a request go before them.',
    'key=value 형식을 쉼표로 구분합니다. 비워 두면 없습니다. 요청의 태그가 우선합니다.',
  ],
  tags_set: ['Set default tags', '기본 태그 설정'],
  tags_title: ['Default tags of {name}', '{name}의 기본 태그'],

  expires_at: ['Expires at (KST)', '만료 시각 (KST)'],
  expires_at_member: ['All keys stop at (KST)', '모든 키가 중지되는 시각 (KST)'],
  expires_at_hint: [
    'Afterwards requests with this key are rejected. Its owner cannot move it by rotating the key. You can set a later time again.',
    '이후에는 이 키의 요청이 거부됩니다. 소유자가 키를 교체해도 바뀌지 않습니다. 나중에 다시 늦출 수 있습니다.',
  ],
  expires_at_hint_member: [
    'Empty: no end. The person can still sign in to the console.',
    '비워 두면 종료 시각이 없습니다. 콘솔에는 계속 로그인할 수 있습니다.',
  ],
  expire_set: ['Set expiry', '만료 설정'],
  expire_set_member: ['Set end', '종료 시각 설정'],
  expire_title: ['When {name} expires', '{name}의 만료 시각'],
  expire_title_member: ['When the keys of {name} end', '{name}의 키 종료 시각'],
  expire_now: ['Expire now', '지금 만료'],
  expire_now_member: ['End now', '지금 종료'],
  expire_now_title: ['Expire {name} now?', '{name}을(를) 지금 만료할까요?'],
  expire_now_title_member: ['Stop all keys of {name} now?', '{name}의 모든 키를 지금 중지할까요?'],
  expire_now_text: [
    'Requests with this key are rejected within about a second. An administrator can set a later time again; then it works with the same secret.',
    '약 1초 안에 이 키의 요청이 거부됩니다. 관리자가 만료 시각을 다시 늦출 수 있으며, 그러면 같은 비밀 값으로 다시 작동합니다.',
  ],
  expire_now_text_member: [
    'Requests with their personal keys are rejected within about a second, also with new and rotated ones. Set a later end, or none, to accept them again.',
    '새로 만들거나 교체한 키를 포함해 개인 키의 요청이 약 1초 안에 거부됩니다. 다시 받으려면 종료 시각을 늦추거나 지우세요.',
  ],

  disabled: ['Disabled', '비활성'],
  disable_on: ['Disable', '비활성화'],
  disable_on_title: ['Disable {name}?', '{name}을(를) 비활성화할까요?'],
  disable_on_confirm: ['Disable', '비활성화'],
  disable_on_text: [
    'Requests with this key are rejected within about a second. An administrator can enable it again.',
    '약 1초 안에 이 키의 요청이 거부됩니다. 관리자가 다시 활성화할 수 있습니다.',
  ],
  disable_off: ['Enable', '활성화'],
  disable_off_title: ['Enable {name}?', '{name}을(를) 활성화할까요?'],
  disable_off_confirm: ['Enable', '활성화'],
  disable_off_text: [
    'Requests with this key are accepted again. You can disable it at any time.',
    '이 키의 요청을 다시 받습니다. 언제든지 비활성화할 수 있습니다.',
  ],

  overage_allowed: ['Overage', '초과 사용'],
  overage_allowed_is_on: ['allowed', '허용'],
  overage_allowed_is_off: ['not allowed', '허용 안 함'],
  overage_on: ['Allow overage', '초과 사용 허용'],
  overage_on_title: ['Allow overage for {name}?', '{name}의 초과 사용을 허용할까요?'],
  overage_on_confirm: ['Allow overage', '초과 사용 허용'],
  overage_on_text: [
    'Calls continue when the space holds no units. What it owes is counted as overage, which you invoice. You can forbid it again.',
    '보유한 유닛이 없어도 호출이 계속됩니다. 초과분은 따로 집계되어 청구할 수 있습니다. 다시 금지할 수 있습니다.',
  ],
  overage_off: ['Forbid overage', '초과 사용 금지'],
  overage_off_title: ['Forbid overage for {name}?', '{name}의 초과 사용을 금지할까요?'],
  overage_off_confirm: ['Forbid overage', '초과 사용 금지'],
  overage_off_text: [
    'When the space holds no units, charged calls are rejected. Overage that it owes stays. You can allow it again.',
    '보유한 유닛이 없으면 과금되는 호출이 거부됩니다. 이미 초과한 양은 그대로입니다. 다시 허용할 수 있습니다.',
  ],

  keeps_responses: ['Kept responses', '보관된 응답'],
  keepResponses_on: ['Keep responses', '응답 보관'],
  keepResponses_on_title: ['Keep the responses of {name}?', '{name}의 응답을 보관할까요?'],
  keepResponses_on_confirm: ['Keep responses', '응답 보관'],
  keepResponses_on_text: [
    'New responses are kept for 30 days, so that later calls can refer to them.',
    '새 응답을 30일 동안 보관하여 이후 호출에서 참조할 수 있습니다.',
  ],
  keepResponses_off: ['Stop keeping responses', '응답 보관 중지'],
  keepResponses_off_title: ['Stop keeping the responses of {name}?', '{name}의 응답 보관을 중지할까요?'],
  keepResponses_off_confirm: ['Stop keeping responses', '응답 보관 중지'],
  keepResponses_off_text: [
    'Later calls cannot refer to new responses. Those that are kept already stay until they expire.',
    '이후 호출에서 새 응답을 참조할 수 없습니다. 이미 보관된 응답은 만료될 때까지 남습니다.',
  ],

  unpriced_allowed: ['Requests without a price', '가격이 없는 요청'],
  unpriced_allowed_is_on: ['allowed', '허용'],
  unpriced_allowed_is_off: ['not allowed', '허용 안 함'],
  unpriced_on: ['Allow unpriced requests', '가격 없는 요청 허용'],
  unpriced_on_title: ['Allow unpriced requests for {name}?', '{name}의 가격 없는 요청을 허용할까요?'],
  unpriced_on_confirm: ['Allow', '허용'],
  unpriced_on_text: [
    'Requests that ask for something without a price are sent. Their cost is unknown. Until you price or forgive them, they count against units and limits at the standard price.',
    '가격이 없는 항목을 요청해도 전송합니다. 비용은 알 수 없으며, 가격을 정하거나 면제할 때까지 표준 가격으로 유닛과 한도에 포함됩니다.',
  ],
  unpriced_off: ['Forbid unpriced requests', '가격 없는 요청 금지'],
  unpriced_off_title: ['Forbid unpriced requests for {name}?', '{name}의 가격 없는 요청을 금지할까요?'],
  unpriced_off_confirm: ['Forbid', '금지'],
  unpriced_off_text: [
    'Requests that ask for something without a price are rejected before they are sent, on models that have prices.',
    '가격이 있는 모델에서 가격이 없는 항목을 요청하면 전송하기 전에 거부합니다.',
  ],

  hard_limits: ['Hard limits', '엄격한 한도'],
  hard_limits_on: ['Turn on hard limits', '엄격한 한도 켜기'],
  hard_limits_on_title: ['Turn on hard limits for {name}?', '{name}의 엄격한 한도를 켤까요?'],
  hard_limits_on_confirm: ['Turn on', '켜기'],
  hard_limits_on_text: [
    'A call is accepted only if the most it can cost fits into the units of the space, unless overage is allowed, and into the monthly limits of its key and its member. Close to a limit, calls that would have cost less are rejected too. You can turn it off again.',
    '호출의 최대 비용이 키와 멤버의 월 한도 안에 들 때만, 초과 사용을 허용하지 않으면 스페이스의 유닛 안에도 들 때만 호출을 받습니다. 한도에 가까워지면 실제로는 더 적게 들 호출도 거부됩니다. 다시 끌 수 있습니다.',
  ],
  hard_limits_off: ['Turn off hard limits', '엄격한 한도 끄기'],
  hard_limits_off_title: ['Turn off hard limits for {name}?', '{name}의 엄격한 한도를 끌까요?'],
  hard_limits_off_confirm: ['Turn off', '끄기'],
  hard_limits_off_text: [
    'A call is accepted while anything is left, so the last calls can cost more than what is left. You can turn it on again.',
    '조금이라도 남아 있으면 호출을 받으므로, 마지막 호출은 남은 양보다 더 들 수 있습니다. 다시 켤 수 있습니다.',
  ],

  blocked: ['Blocked', '차단됨'],
  block_on: ['Block', '차단'],
  block_on_title: ['Block {name}?', '{name}을(를) 차단할까요?'],
  block_on_confirm: ['Block', '차단'],
  block_on_text: [
    'All charged calls of this space are rejected within about a second. Keys, members and units stay. You can unblock it at any time.',
    '약 1초 안에 이 스페이스의 과금되는 호출이 모두 거부됩니다. 키, 멤버, 유닛은 그대로입니다. 언제든지 해제할 수 있습니다.',
  ],
  block_off: ['Unblock', '차단 해제'],
  block_off_title: ['Unblock {name}?', '{name}의 차단을 해제할까요?'],
  block_off_confirm: ['Unblock', '차단 해제'],
  block_off_text: [
    'Charged calls of this space are accepted again, if it can spend.',
    '사용할 수 있는 유닛이 있으면 과금되는 호출을 다시 받습니다.',
  ],
} satisfies Record<Needed, Said> & Record<string, Said>);
