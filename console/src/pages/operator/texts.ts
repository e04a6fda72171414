import { defineTexts } from '../../text/define-texts.ts';

export const operatorTexts = defineTexts('operator', {
  title: ['Operator', '운영'],
  intro: [
    'The whole installation: its health, its spaces, and who runs it.',
    '설치 전체의 상태, 스페이스, 운영자를 관리합니다.',
  ],
  tabs: ['Parts of the installation', '운영 메뉴'],
  health: ['Health', '상태'],
  quarantine: ['Quarantine', '격리된 배치'],
  spaces: ['Spaces', '스페이스'],
  access: ['Operators and tokens', '운영자와 토큰'],
  config: ['Configuration', '설정'],
  audit: ['Audit', '감사 기록'],
});

export const healthTexts = defineTexts('health', {
  now: ['Now', '현재'],
  process: ['This process', '이 프로세스'],
  ready: ['accepts calls', '호출 받는 중'],
  notReady: ['does not accept calls', '호출을 받지 않음'],
  inFlight: ['Requests in flight', '처리 중인 요청'],
  unsettled: ['Batches not settled', '정산 전 배치'],
  unsettledNote: ['ended, not charged yet', '끝났지만 아직 과금 전'],
  quarantined: ['Quarantined batches', '격리된 배치'],
  lookAtThem: ['Look at them', '보기'],
  heldBack: ['Callers held back', '보류된 호출자'],
  heldBackNote: ['their own breaker is open', '호출자 차단기 열림'],
  database: ['Database', '데이터베이스'],
  redis: ['Redis', 'Redis'],
  noRedis: ['not configured', '설정 안 됨'],
  connected: ['connected', '연결됨'],
  away: ['not reachable', '연결할 수 없음'],
  providers: ['Providers', '제공자'],
  provider: ['Provider', '제공자'],
  dialect: ['API', 'API'],
  openRoutes: ['Open routes', '열린 경로'],
  routes: ['Routes', '경로'],
  routesNote: [
    'As this process sees them. An open breaker means that the route failed repeatedly: calls go to other routes, and it is tried at intervals until it works again.',
    '이 프로세스 기준입니다. 차단기가 열리면 경로가 반복해서 실패했다는 뜻입니다. 호출은 다른 경로로 가고, 다시 작동할 때까지 간격을 두고 시도합니다.',
  ],
  upstream: ['Model at the provider', '제공자 모델'],
  priority: ['Priority', '우선순위'],
  weight: ['Weight', '가중치'],
  breaker: ['Breaker', '차단기'],
  closed: ['closed', '닫힘'],
  open: ['open', '열림'],
  jobs: ['Background jobs', '백그라운드 작업'],
  jobsNote: [
    'Of the whole installation. Overdue: should have started more than a minute ago.',
    '설치 전체 기준입니다. 지연: 1분 이상 늦게 시작된 작업.',
  ],
  waiting: ['Waiting or running', '대기 또는 실행 중'],
  overdue: ['Overdue', '지연'],
  failing: ['Last attempt failed', '최근 시도 실패'],
  noJobs: ['Nothing waits.', '대기 중인 작업이 없습니다.'],
  noRoutes: [
    'There are no routes. Add providers and models to tollgate.yaml.',
    '경로가 없습니다. tollgate.yaml에 제공자와 모델을 추가하세요.',
  ],
});

export const quarantineTexts = defineTexts('quarantine', {
  title: ['Quarantined batches', '격리된 배치'],
  what: [
    'A batch is quarantined when its cost is unknown. Nothing was charged, and its results are not visible to its owner.',
    '비용을 알 수 없는 배치는 격리됩니다. 과금되지 않았으며 소유자는 결과를 볼 수 없습니다.',
  ],
  how: [
    'Fix the reason first: add a missing price to tollgate.yaml and restart, or wait until the provider reports the usage. Then settle the batch again: it is counted and priced from the start. If the reason remains, it returns to quarantine and nothing is charged.',
    '먼저 원인을 해결하세요. tollgate.yaml에 빠진 가격을 추가하고 다시 시작하거나, 제공자가 사용량을 보고할 때까지 기다리세요. 그런 다음 다시 정산하면 처음부터 다시 집계하고 계산합니다. 원인이 남아 있으면 다시 격리되고 과금되지 않습니다.',
  ],
  reason: ['Reason', '원인'],
  lines: ['Lines ok / all', '성공 / 전체'],
  ended: ['Ended (KST)', '종료 (KST)'],
  requeue: ['Settle again', '다시 정산'],
  requeueName: ['Settle again {batch}', '{batch} 다시 정산'],
  requeueTitle: ['Settle {batch} again?', '{batch}을(를) 다시 정산할까요?'],
  requeueText: [
    'The lines are counted and priced again with the prices in effect now. If all costs are known, {space} is charged once and the results become visible; a charge is undone only by a correction. If not, the batch returns to quarantine.',
    '현재 가격으로 다시 집계하고 계산합니다. 모든 비용을 알 수 있으면 {space}에 한 번 과금하고 결과를 공개합니다. 과금은 정정으로만 되돌릴 수 있습니다. 그렇지 않으면 다시 격리됩니다.',
  ],
  empty: ['No batch is quarantined', '격리된 배치가 없습니다'],
  emptyText: ['The command line lists them too:', '명령줄에서도 볼 수 있습니다.'],
});
