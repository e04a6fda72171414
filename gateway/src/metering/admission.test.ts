import { expect, test } from 'vitest';
import { absentPrincipal } from '../access/principal.ts';
import type { Database } from '../database/database.ts';
import { systemClock } from '../kernel/time.ts';
import { parseUnits } from '../kernel/units.ts';
import { Admission } from './admission.ts';

test('what was charged counts while the database is being asked again', async () => {
  const asked: Array<(rows: object[]) => void> = [];
  const db = { query: () => new Promise((answer) => asked.push(answer)) } as unknown as Database;
  const admission = new Admission({ db, clock: systemClock });
  const principal = {
    ...absentPrincipal({ keyId: 'key_a', spaceId: 'spc_a', spaceName: 'a', memberId: null }),
    keyMonthLimit: parseUnits('2'),
  };
  const first = admission.runOnce();
  asked[0]?.([{ id: 'key_a', spent: '1' }]);
  await first;
  admission.admit(principal);
  admission.spent(principal, parseUnits('1'));
  expect(() => admission.admit(principal)).toThrow('2 of 2 units');

  const second = admission.runOnce();
  expect(() => admission.admit(principal)).toThrow('2 of 2 units');
  asked[1]?.([{ id: 'key_a', spent: '2' }]);
  await second;
  expect(() => admission.admit(principal)).toThrow('2 of 2 units');
});
