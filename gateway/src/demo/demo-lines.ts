/** The log lines of the pods and builds of the demo: invented, in realistic formats. */

const PATHS = ['/cart', '/items/42', '/items/7', '/checkout', '/search?q=umbrella', '/health'];

/** A line of a pod, chosen by the number of lines it has written. */
export function demoLine(count: number, release: number): string {
  if (count === 0) return `\u001b[32m✓\u001b[0m shop release ${release} listening on :3000`;
  if (count % 37 === 0) {
    return '{"level":"error","msg":"payment provider timed out","attempt":1,"after_ms":2000}';
  }
  if (count % 23 === 0)
    return `\u001b[33mWARN\u001b[0m cache miss rate ${20 + (count % 17)} % in the last minute`;
  if (count % 11 === 0)
    return `{"level":"info","msg":"주문 완료","order":${1_000 + count},"units":"0.0${count % 97}"}`;
  const path = PATHS[count % PATHS.length];
  return `GET ${path} ${count % 29 === 0 ? 404 : 200} ${3 + ((count * 7) % 40)}ms`;
}

export function demoBuildLines(): string[] {
  return [
    '\u001b[1m==> Cloning shop@main\u001b[0m',
    'HEAD is now at 3f2c1aa Show units in the cart',
    '\u001b[1m==> npm ci\u001b[0m',
    'added 214 packages in 11s',
    '\u001b[1m==> npm test\u001b[0m',
    ' \u001b[32m✓\u001b[0m cart.test.ts (12 tests)',
    ' \u001b[32m✓\u001b[0m checkout.test.ts (31 tests)',
    ' \u001b[32m✓\u001b[0m search.test.ts (8 tests)',
    '\u001b[1m==> docker build\u001b[0m',
    'Step 1/6 : FROM node:26-slim',
    'Step 2/6 : WORKDIR /app',
    'Step 3/6 : COPY package*.json ./',
    'Step 4/6 : RUN npm ci --omit=dev',
    'Step 5/6 : COPY . .',
    'Step 6/6 : CMD ["node", "server.js"]',
    'Successfully built 9c1185a5c5e9',
    '\u001b[32mBuild succeeded in 45 s\u001b[0m',
  ];
}

export function demoFailedBuildLines(): string[] {
  return [
    ...demoBuildLines().slice(0, 5),
    ' \u001b[32m✓\u001b[0m cart.test.ts (12 tests)',
    ' \u001b[31m✗\u001b[0m checkout.test.ts (31 tests, 1 failed)',
    '   \u001b[31mexpected 0.0125 units, received 0.01\u001b[0m',
    '     at checkout.test.ts:88:27',
    '\u001b[31mnpm test exited with code 1\u001b[0m',
    '\u001b[31mBuild failed after 31 s\u001b[0m',
  ];
}
