/**
 * The matrix of rights, made from the table of endpoints: every operation, for everybody (`admin-roles.ts`), in their
 * own space, another and one that does not exist. Who is rejected changes nothing; who is not gets to the end.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AdminEndpoint,
  IN_SPACE,
  changes as isChange,
} from '../../src/contract/administration/admin-endpoint.ts';
import {
  adminEndpoints,
  type OperationName,
  operationNames,
} from '../../src/contract/administration/admin-endpoints.ts';
import { sql } from '../../src/database/sql.ts';
import {
  changes,
  inputOf,
  OWN_BATCH,
  OWN_CALL,
  OWN_JOB,
  operationsWithoutCase,
} from '../support/admin-cases.ts';
import { type AdminAnswer, AdminClient } from '../support/admin-client.ts';
import {
  type AdminRole,
  adminRoles,
  emailOf,
  MISSING_SPACE,
  OPERATOR,
  OTHER_SPACE,
  OWN_SPACE,
  type Verdict,
  verdictOf,
} from '../support/admin-roles.ts';
import { type AdminStage, addThings, startAdminStage } from '../support/admin-stage.ts';
import { readDigests } from '../support/database-state.ts';
import { oneEngine } from '../support/engines.ts';
import { WORK_MS_MAX } from '../support/patience.ts';

interface Cell {
  readonly name: OperationName;
  readonly role: AdminRole;
  readonly target: string;
  readonly verdict: Verdict;
}

const cells: readonly Cell[] = operationNames.flatMap((name) =>
  adminRoles.flatMap((role) => {
    const endpoint: AdminEndpoint = adminEndpoints[name];
    return targetsOf(endpoint, role).map((target) => ({
      name,
      role,
      target,
      verdict: verdictOf(endpoint, role, { target, input: inputOf(name) }),
    }));
  }),
);

/**
 * People of the first space try all three. For those of the other space the first is the one that they cannot see; a
 * token reaches what a person of its role does.
 */
function targetsOf({ path }: AdminEndpoint, { is, space, token }: AdminRole): readonly string[] {
  if (!path.startsWith(IN_SPACE) || is === 'nobody' || space === OTHER_SPACE || token) return [OWN_SPACE];
  return is === 'operator' ? [OWN_SPACE, MISSING_SPACE] : [OWN_SPACE, OTHER_SPACE, MISSING_SPACE];
}

const errorTypes: Readonly<Record<number, readonly string[]>> = {
  401: ['missing_credentials', 'invalid_credentials'],
  403: ['permission_denied'],
  404: ['not_found'],
};

test('every operation has an input to try it with', () => {
  expect(operationsWithoutCase, 'Add them to changes or reads in test/support/admin-cases.ts.').toEqual([]);
});

describe.each(oneEngine('postgres', 'rights'))('the matrix of rights on %s', (engine) => {
  let stage: AdminStage;
  const clients = new Map<AdminRole, AdminClient>();
  const rejected = new Map<Cell, AdminAnswer>();
  /** The database before and after all rejected requests. */
  const digests: object[] = [];

  beforeAll(async () => {
    const prepared = await startAdminStage({ engine });
    const { gateway, known } = prepared;
    stage = prepared;
    await gateway.admin('spaces.create', { name: OTHER_SPACE, overage: true });
    for (const role of adminRoles) clients.set(role, new AdminClient(gateway, await role.credential(stage)));
    const { call, batch, job } = await addThings(gateway, 'mine', emailOf('member', OWN_SPACE));
    known.set(OWN_CALL, call).set(OWN_BATCH, batch).set(OWN_JOB, job);
    await askAllRejected();
  });
  afterAll(() => stage.gateway.stop());

  async function ask({ name, role, target }: Cell): Promise<AdminAnswer> {
    const input = stage.fill(inputOf(name, role.is === 'member' ? 'member' : 'space'));
    const { path }: AdminEndpoint = adminEndpoints[name];
    // For an operator every space is their own: also those that only some cases work in.
    const asWritten = !path.startsWith(IN_SPACE) || (role.is === 'operator' && target === OWN_SPACE);
    const inSpace = asWritten ? {} : { space: target };
    for (;;) {
      const answer = await (clients.get(role) as AdminClient).call(name, { ...input, ...inSpace });
      // On a busy machine the database may miss its deadline; that decides nothing about rights.
      if (answer.body.type !== 'service_unavailable') return answer;
    }
  }

  async function askAllRejected(): Promise<void> {
    digests.push(await readDigests(stage.gateway));
    for (const name of operationNames) {
      const own = cells.filter((cell) => cell.name === name && cell.verdict !== 'allowed');
      const answers = await Promise.all(own.map(ask));
      for (const [i, cell] of own.entries()) rejected.set(cell, answers[i] as AdminAnswer);
    }
    digests.push(await readDigests(stage.gateway));
  }

  test('everyone without the right is rejected with 401, 403 or 404', () => {
    const verdicts = [...rejected].map(([{ name, role, target, verdict }, { status, body }]) => ({
      cell: `${name}: ${role.who} in ${target}`,
      expected: verdict,
      status,
      type: body.type as string,
    }));
    const wrong = verdicts.filter(
      ({ expected, status, type }) => status !== expected || !errorTypes[status]?.includes(type),
    );
    expect(wrong).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(operationNames.length * 4);
  });

  test('a rejected request changes nothing', () => {
    const [before, after] = digests;
    expect(after).toEqual(before);
  });

  test('a space that one cannot see answers exactly like one that does not exist', () => {
    const hidden = [...rejected].filter(
      ([{ verdict, target }]) => verdict === 404 && target !== MISSING_SPACE,
    );
    expect(hidden.length).toBeGreaterThan(operationNames.length);
    for (const [cell, answer] of hidden) {
      const [, missing] = [...rejected].find(
        ([{ name, target }]) => name === cell.name && target === MISSING_SPACE,
      ) as [Cell, AdminAnswer];
      expect(withoutName(answer, cell.target), `${cell.name}: ${cell.role.who}`).toEqual(
        withoutName(missing, MISSING_SPACE),
      );
    }
  });

  test(
    'everyone with the right gets to the end, where a closed audit log undoes the change',
    async () => {
      await stage.gateway.query(sql`alter table audit_log add constraint closed check (false) not valid`);
      const before = await readDigests(stage.gateway);
      const wrong: object[] = [];
      for (const name of operationNames) {
        const own = cells.filter((cell) => cell.name === name && cell.verdict === 'allowed');
        for (const cell of own) {
          // One after the other: on a busy machine they would wait for each other longer than a deadline.
          const { status, body } = await ask(cell);
          if (!passed(cell, { status, body })) wrong.push({ ...cell, role: cell.role.who, status, body });
        }
      }
      await stage.gateway.query(sql`alter table audit_log drop constraint closed`);
      expect(wrong).toEqual([]);
      expect(await readDigests(stage.gateway)).toEqual(before);
    },
    WORK_MS_MAX,
  );

  /** What an input names belongs to one space, so in the other only the space itself is found. */
  function passed(
    { name, role, target }: Cell,
    { status, body }: Pick<AdminAnswer, 'status' | 'body'>,
  ): boolean {
    const reached = target === OWN_SPACE && (role.is === 'operator' || role.space === OWN_SPACE);
    if (!reached) {
      // An id that another space was given is rejected for what it is, and not for who asks.
      const forWho = body.type === 'permission_denied' ? body.error?.param !== 'id' : status === 401;
      return !forWho && body.error?.param !== 'space';
    }
    return status === (isChange(adminEndpoints[name]) ? 500 : 200);
  }

  test('each change works for the lowest role that has the right, and names the person', async () => {
    const lowest = { member: 'a member of acme', admin: 'an administrator of acme', operator: 'an operator' };
    for (const name of Object.keys(changes) as OperationName[]) {
      const { right } = adminEndpoints[name];
      const role = adminRoles.find(({ who }) => who === lowest[right]) as AdminRole;
      const own = right === 'operator' ? {} : { space: OWN_SPACE };
      const input = stage.fill(inputOf(name, right === 'member' ? 'member' : 'space'));
      const { status, body } = await (clients.get(role) as AdminClient).call(name, { ...input, ...own });
      expect([status, body.detail], name).toEqual([200, undefined]);
      const [line] = await stage.gateway.query<{ actor: string; action: string }>(
        sql`select actor, action from audit_log order by id desc limit 1`,
      );
      const email = right === 'operator' ? OPERATOR : emailOf(right, OWN_SPACE);
      expect(line, name).toEqual({ actor: email, action: name });
    }
  });
});

function withoutName({ status, headers, body }: AdminAnswer, space: string): object {
  const shown = JSON.stringify(body).replaceAll(body.error_ref, 'REF').replaceAll(space, 'SPACE');
  return { status, names: [...headers.keys()], body: shown };
}
