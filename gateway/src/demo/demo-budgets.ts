/** The budgets of the demo, which depend on what was spent: one nearly used up, one for each end user, and requests for more. */
import type { InputOf } from '../contract/administration/admin-endpoints.ts';
import { JONAS, MINA, part, SORA } from './demo-administration.ts';
import type { DemoScene } from './demo-scene.ts';
import { SPACE } from './demo-workloads.ts';

/** In the order in which pages show them. `hundredths`: of what is spent. */
const budgets: ReadonlyArray<Omit<InputOf<'budgets.add'>, 'amount'> & { readonly hundredths: number }> = [
  { name: 'agents', window: 'week', member: JONAS, hard: true, hundredths: 104 },
  { name: 'experiments', window: 'month', member: SORA, hundredths: 125 },
  { name: 'shop', window: 'month', tags: 'team=shop', hundredths: 118 },
  { name: 'support', window: 'month', tags: 'team=support', hard: true, hundredths: 220 },
];

export async function writeBudgets(scene: DemoScene): Promise<void> {
  const of = { space: SPACE };
  for (const { hundredths, ...budget } of budgets) {
    const { spent } = await scene.run('budgets.add', { ...of, ...budget, amount: '100' }, MINA);
    await scene.run('budgets.change', { ...of, budget: budget.name, amount: part(spent, hundredths) }, MINA);
  }
  const eachShopper = { name: 'each-shopper', tags: 'team=shop', per: 'end_user', hard: true } as const;
  await scene.run('budgets.add', { ...of, ...eachShopper, window: 'day', amount: '5' }, MINA);

  const ofSora = { ...of, budget: 'experiments', amount: '10', note: 'one more evaluation' };
  const { id } = await scene.run('budgets.ask', ofSora, SORA);
  await scene.run('budgetRequests.decide', { ...of, budget_request: id, decision: 'once' }, MINA);
  const ofJonas = { ...of, budget: 'agents', amount: '25', note: 'the new checkout' };
  await scene.run('budgets.ask', ofJonas, JONAS);
}
