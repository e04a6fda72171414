/** Keys of two members, a shared key, a management key and a key of another space, to see what each of them can read. */
import type { TestGateway } from './gateway.ts';

export async function makeOwnerKeys(
  gateway: TestGateway,
  role: 'admin' | 'member',
): Promise<Record<string, string>> {
  await gateway.admin('spaces.create', { name: 'elsewhere', overage: true });
  for (const email of ['ann@example.com', 'bob@example.com'])
    await gateway.admin('members.add', { space: 'acme', email, role });
  const personal = { space: 'acme', kind: 'personal' } as const;
  const keys: Record<string, string> = {};
  for (const [name, input] of Object.entries({
    ann: { ...personal, email: 'ann@example.com' },
    'ann-2': { ...personal, email: 'ann@example.com' },
    bob: { ...personal, email: 'bob@example.com' },
    shared: { space: 'acme', kind: 'shared' as const },
    elsewhere: { space: 'elsewhere', kind: 'shared' as const },
    management: { space: 'acme', kind: 'management' as const },
  }))
    keys[name] = (await gateway.admin('keys.create', { name, ...input })).key;
  return keys;
}
