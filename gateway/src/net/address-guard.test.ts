import { describe, expect, test } from 'vitest';
import { Problem } from '../kernel/problem.ts';
import { AddressGuard, type ResolveName } from './address-guard.ts';
import { isPublicAddress } from './public-address.ts';

const PUBLIC = '93.184.215.14';
const names: Readonly<Record<string, readonly string[]>> = {
  'pictures.example.com': [PUBLIC, '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'loop.example.com': ['127.0.0.1'],
  'private.example.com': ['10.1.2.3'],
  'metadata.example.com': ['169.254.169.254'],
  'half.example.com': [PUBLIC, '192.168.0.1'],
  'six.example.com': [PUBLIC, 'fd00:ec2::254'],
  'hidden.example.com': ['64:ff9b::a00:1'],
  'none.example.com': [],
};
const resolve: ResolveName = async (name) => {
  const found = names[name];
  if (found === undefined) throw new Error(`queryA ENOTFOUND ${name}`);
  return found;
};
const guard = new AddressGuard({ allowed: ['bucket.corp.internal', '10.9.9.9', 'FD00::9'], resolve });
const wanted = { param: 'images[0].image_url', schemes: ['http', 'https'] } as const;

async function refusalOf(url: string, at: Parameters<AddressGuard['check']>[1] = wanted): Promise<Problem> {
  const problem = await guard.check(url, at).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(problem instanceof Problem)) throw new Error(`${url} was let through`);
  return problem;
}

test.each([
  'https://pictures.example.com/cat.png?v=1#x',
  'http://pictures.example.com/cat.png',
  'https://PICTURES.example.com./cat.png',
  'https://pictures.example.com:8443/cat.png',
  'https://93.184.215.14/cat.png',
  'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/cat.png',
  'https://[64:ff9b::5db8:d70e]/cat.png',
  'https://[::ffff:93.184.215.14]/cat.png',
])('lets what is on the public internet through: %s', async (url) => {
  const { addresses } = await guard.check(url, wanted);
  expect(addresses?.length).toBeGreaterThan(0);
});

describe('refuses, naming the field', () => {
  test.each([
    // Loopback, as it is and as it is hidden.
    'http://127.0.0.1/',
    'http://127.8.9.10:8080/',
    'http://127.1/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://017700000001/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://%31%32%37.0.0.1/',
    'http://①②⑦.0.0.1/',
    'http://127。0。0。1/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/',
    'http://localhost/',
    'http://LOCALHOST:8080/',
    'http://localhost./',
    'http://a.b.localhost/',
    // Nowhere, and everywhere.
    'http://0.0.0.0/',
    'http://0/',
    'http://[::]/',
    'http://255.255.255.255/',
    'http://224.0.0.1/',
    'http://[ff02::1]/',
    'http://240.0.0.1/',
    // Networks of somebody's own.
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://100.127.255.255/',
    'http://169.254.0.1/',
    'http://198.18.0.1/',
    'http://192.0.0.1/',
    'http://[fc00::1]/',
    'http://[fd12:3456::1]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[2002:a00:1::]/',
    'http://[64:ff9b::c0a8:101]/',
    // What clouds tell their machines.
    'http://169.254.169.254/latest/meta-data/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://[fd00:ec2::254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://168.63.129.16/',
    'http://metadata.google.internal/',
    'http://metadata.google.internal./',
    // Documentation.
    'http://192.0.2.1/',
    'http://198.51.100.1/',
    'http://203.0.113.1/',
    'http://[2001:db8::1]/',
    'http://[3fff::1]/',
    // Names.
    'https://loop.example.com/',
    'https://private.example.com/',
    'https://metadata.example.com/',
    'https://half.example.com/',
    'https://six.example.com/',
    'https://hidden.example.com/',
    'https://none.example.com/',
    'https://nowhere.example.com/',
    'https://postgres/',
    'https://printer.local/',
    'https://nas.home.arpa/',
  ])('%s', async (url) => {
    const { code, param, detail } = await refusalOf(url);
    expect({ code, param }).toEqual({ code: 'invalid_parameter', param: 'images[0].image_url' });
    expect(detail).toMatch(/^images\[0\]\.image_url names the host .* not on the public internet\.$/);
  });

  test.each([
    ['https://user:word@pictures.example.com/', /user name or a password/],
    ['https://user@pictures.example.com/', /user name or a password/],
    ['https://user@bucket.corp.internal/', /user name or a password/],
    ['https://pictures.example.com:22/', /port 22/],
    ['https://pictures.example.com:0/', /port 0/],
    ['ftp://pictures.example.com/', /well-formed/],
    ['file:///etc/passwd', /well-formed/],
    ['gopher://pictures.example.com/', /well-formed/],
    ['https:///pictures.example.com/', /well-formed/],
    ['https:pictures.example.com', /well-formed/],
    ['//pictures.example.com/', /well-formed/],
    ['https://pictures.example.com\\@127.0.0.1/', /well-formed/],
    [' https://pictures.example.com/', /well-formed/],
    ['https://pictures.exa\tmple.com/', /well-formed/],
    ['https://pictures.example.com/\u0000', /well-formed/],
    ['https://[::1/', /well-formed/],
    ['https://256.256.256.256/', /well-formed/],
    [`https://pictures.example.com/${'a'.repeat(9_000)}`, /well-formed/],
    ['', /well-formed/],
  ])('%s', async (url, detail) => {
    expect((await refusalOf(url)).detail).toMatch(detail);
  });

  test('http, where https is wanted', async () => {
    const { detail } = await refusalOf('http://pictures.example.com/', { param: 'p', schemes: ['https'] });
    expect(detail).toBe('p must be an https address.');
  });
});

test('a private name is rejected with the same words as one that does not exist', async () => {
  const [there, not] = await Promise.all([
    refusalOf('https://private.example.com/'),
    refusalOf('https://nowhere.example.com/'),
  ]);
  expect(there.detail.replace('private', 'nowhere')).toBe(not.detail);
});

test.each([
  'http://bucket.corp.internal/a',
  'http://10.9.9.9:22/a',
  'http://[fd00::9]/a',
  'https://Bucket.corp.internal./',
])('lets a host through that the operator allowed: %s', async (url) => {
  expect((await guard.check(url, { param: 'p', schemes: ['https'] })).addresses).toBeNull();
});

test('what was checked is what is connected to, when a name says another thing the next time', async () => {
  const answers = [[PUBLIC], ['127.0.0.1']];
  const rebinding = new AddressGuard({ allowed: [], resolve: async () => answers.shift() ?? [] });
  const { addresses } = await rebinding.check('https://rebind.example.com/', wanted);
  expect(addresses).toEqual([PUBLIC]);
  await expect(rebinding.check('https://rebind.example.com/', wanted)).rejects.toThrow(/not on the public/);
});

test.each(['', 'localhost', '127.1', '::1%lo', 'fe80::1%eth0', '2606::1%1'])(
  'is no public address: %j',
  (address) => expect(isPublicAddress(address)).toBe(false),
);
