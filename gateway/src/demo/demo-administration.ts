/** What administrators did in the demo's past: spaces, members, keys, grants, invoices, a correction. */
import type { InputOf, OperationName } from '../contract/administration/admin-endpoints.ts';
import { DAY_MS, MINUTE_MS } from '../kernel/durations.ts';
import { type Instant, kstOf, monthOf, monthStart, nextMonth } from '../kernel/time.ts';
import { multiplyUnits, parseUnits, printUnits, type Units } from '../kernel/units.ts';
import { expireUnits } from '../ledger/settle.store.ts';
import type { DemoEvent, DemoPast } from './demo-event.ts';
import type { DemoScene } from './demo-scene.ts';
import { PREVIEW_MODEL, RESEARCH, SPACE } from './demo-workloads.ts';

export const MINA = 'mina.park@example.com';
export const JONAS = 'jonas.weber@example.com';
export const SORA = 'sora.kim@example.com';
const ALEX = 'alex.chen@example.com';
const TRIAL = 'trial';

export function administrationEvents(past: DemoPast): DemoEvent[] {
  return [
    ...memberEvents(past),
    ...keyEvents(past),
    ...otherSpaces(past),
    ...unitEvents(past),
    ...recentEvents(past),
  ];
}

/** The last ones, which depend on what was spent: a key near its limit, and a member who has reached theirs. */
export async function writeLimits(scene: DemoScene): Promise<void> {
  const spentBy = async (name: string) => (await scene.run('keys.get', { space: SPACE, name })).spent;
  const limit = async (name: string, hundredths: number) => {
    const month_limit = part(await spentBy(name), hundredths);
    await scene.run('keys.limit', { space: SPACE, name, month_limit }, MINA);
  };
  await limit('support-bot', 106);
  await limit('search-index', 180);
  const reached = part(await spentBy('sora-experiments'), 98);
  await scene.run('members.limit', { space: SPACE, email: SORA, month_limit: reached }, MINA);
  await scene.run('members.limit', { space: SPACE, email: JONAS, month_limit: '150' }, MINA);
}

function memberEvents(past: DemoPast): DemoEvent[] {
  const add = (email: string, nickname: string, at: Instant, role: 'admin' | 'member' = 'member') =>
    ran(at, 'members.add', { space: SPACE, email, nickname, role });
  return [
    add(MINA, 'Mina Park', past.at(60, 0.2), 'admin'),
    add(JONAS, 'Jonas Weber', past.at(60, 0.25)),
    add(ALEX, 'Alex Chen', past.at(57, 10.2)),
    add(SORA, 'Sora Kim', past.at(48, 9.6)),
    ran(past.at(30, 17.2), 'members.remove', { space: SPACE, email: ALEX }, MINA),
  ];
}

function keyEvents(past: DemoPast): DemoEvent[] {
  const key = (name: string, at: Instant, days: number, email?: string) => {
    const owned =
      email === undefined ? { kind: 'shared' as const, creator: MINA } : { kind: 'personal' as const, email };
    return ran(at, 'keys.create', { space: SPACE, name, days, ...owned }, email ?? MINA);
  };
  const billing = { name: 'billing-export', kind: 'management', days: 365 } as const;
  const shopRates = { requests_per_minute: 600, tokens_per_minute: 2_000_000 };
  return [
    key('legacy-backend', past.at(60, 0.3), 365),
    key('jonas-agent', past.at(60, 0.4), 180, JONAS),
    key('mina-notebook', past.at(60, 0.5), 180, MINA),
    key('support-bot', past.at(58, 9.4), 365),
    // It expired about a month later.
    key('summer-event', past.at(56, 9.8), 30),
    // It expires in a few days.
    key('search-index', past.at(52, 10.1), 56),
    ran(
      past.at(52, 10.2),
      'keys.models',
      { space: SPACE, name: 'search-index', models: ['sim-embed'] },
      MINA,
    ),
    key('ci-tests', past.at(50, 11), 365),
    key('sora-experiments', past.at(47, 9.5), 180, SORA),
    ran(past.at(45, 15), 'keys.create', { space: SPACE, ...billing }, MINA),
    key('web-shop', past.at(43, 10), 365),
    ran(past.at(43, 10.1), 'keys.rate', { space: SPACE, name: 'web-shop', ...shopRates }),
    ran(past.at(40, 10.5), 'keys.revoke', { space: SPACE, name: 'legacy-backend' }, MINA),
    key('preview-lab', past.at(38, 9.6), 90),
    ran(past.at(21, 10), 'keys.revoke', { space: SPACE, name: 'preview-lab' }, MINA),
    ran(past.at(12, 11.5), 'keys.disable', { space: SPACE, name: 'ci-tests' }, MINA),
  ];
}

function otherSpaces(past: DemoPast): DemoEvent[] {
  const admin = { email: SORA, nickname: 'Sora Kim', role: 'admin' } as const;
  const papers = { name: 'papers', kind: 'shared', days: 365 } as const;
  const budget = { amount: '40', kind: 'paid', note: 'research budget' } as const;
  const trial = { amount: '5', kind: 'promo', note: 'trial', expires: kstOf(past.at(-27, 0)) } as const;
  return [
    ran(past.at(35, 14), 'spaces.create', { name: RESEARCH, overage: true }),
    ran(past.at(35, 14.1), 'members.add', { space: RESEARCH, ...admin }),
    ran(past.at(35, 14.2), 'keys.create', { space: RESEARCH, ...papers }, SORA),
    ran(past.at(35, 14.3), 'grants.add', { space: RESEARCH, ...budget }),
    ran(past.at(33, 11), 'spaces.create', { name: TRIAL }),
    ran(past.at(33, 11.1), 'grants.add', { space: TRIAL, ...trial }),
    ran(past.at(10, 16), 'spaces.block', { space: TRIAL, blocked: true }),
  ];
}

function unitEvents(past: DemoPast): DemoEvent[] {
  const campaign = { amount: '45', kind: 'promo', note: 'autumn campaign' } as const;
  return [
    ...workshop(past),
    ...invoices(past),
    event(past.at(20, 15.5), (scene) => correctPreviewCall(scene)),
    ran(past.at(5, 10), 'grants.add', { space: SPACE, ...campaign, expires: kstOf(past.at(-6, 0)) }),
  ];
}

/** Promo units for one afternoon, which were not all used. Granted and expired in the same part of the day. */
function workshop(past: DemoPast): DemoEvent[] {
  const ends = past.at(46, 18.5);
  const grant = { amount: '12', kind: 'promo', note: 'workshop', expires: kstOf(ends) } as const;
  return [
    ran(past.at(46, 13.6), 'grants.add', { space: SPACE, ...grant }),
    { at: ends - 1, afterCalls: true, write: (scene) => expireUnits(scene.db, ends) },
  ];
}

/**
 * As each month begins, the overage of the last one is invoiced and new units are paid for. No call of the new month
 * comes before, so that the invoice is what the statement of the last month ends with.
 */
function invoices(past: DemoPast): DemoEvent[] {
  const events: DemoEvent[] = [];
  for (
    let month = monthOf(past.at(60, 0));
    monthStart(nextMonth(month)) < past.until;
    month = nextMonth(month)
  ) {
    const at = monthStart(nextMonth(month));
    events.push(event(at, (scene) => invoice(scene, month, at)));
  }
  return events;
}

async function invoice(scene: DemoScene, month: string, at: Instant): Promise<void> {
  const { overage } = await scene.run('spaces.get', { space: SPACE });
  if (overage === '0') return;
  await scene.run('spaces.invoice', { space: SPACE, note: `overage until the end of ${month}` });
  scene.clock.forward(MINUTE_MS);
  await scene.run('grants.add', { space: SPACE, amount: '200', kind: 'paid', note: 'prepaid' });
  scene.clock.forward(MINUTE_MS);
  const promo = { space: SPACE, amount: '25', kind: 'promo', note: 'loyalty' } as const;
  await scene.run('grants.add', { ...promo, expires: kstOf(at + 75 * DAY_MS) });
}

/** Its price was unknown; somebody looked it up. */
async function correctPreviewCall(scene: DemoScene): Promise<void> {
  const { data } = await scene.run('requests.list', { space: SPACE, model: PREVIEW_MODEL, limit: 1 });
  const [call] = data;
  if (call === undefined) return;
  await scene.run('ledger.correct', { call: call.id, amount: '0.0125', note: 'price of the preview model' });
}

function recentEvents(past: DemoPast): DemoEvent[] {
  const token = { name: 'terraform', access: 'read', days: 90 } as const;
  const invitation = { email: 'yuna.choi@example.com', role: 'member' } as const;
  const rotation = { name: 'web-shop', grace_hours: 24, days: 180 };
  return [
    ran(past.at(16, 9.3), 'tokens.create', { space: SPACE, ...token }, MINA),
    ran(past.at(7, 13.7), 'spaces.rate', { space: SPACE, requests_per_minute: 6_000 }),
    ran(past.minutesAgo(26 * 60), 'invitations.create', { space: SPACE, ...invitation }, MINA),
    ran(past.minutesAgo(200), 'keys.rotate', { space: SPACE, ...rotation }, MINA),
  ];
}

function event(at: Instant, write: DemoEvent['write']): DemoEvent {
  return { at, write };
}

/** An operation that somebody ran. Default: an operator. */
function ran<Name extends OperationName>(
  at: Instant,
  name: Name,
  input: InputOf<Name>,
  by?: string,
): DemoEvent {
  return event(at, (scene) => scene.run(name, input, by));
}

/** So many hundredths of an amount, as a limit: at least 0.01, and whole hundredths. */
export function part(amount: string, hundredths: number): string {
  const exact = multiplyUnits(parseUnits(amount), { count: hundredths, per: 100 });
  const cent = parseUnits('0.01');
  const cents = exact / cent;
  return printUnits((cents === 0n ? cent : cents * cent) as Units);
}
