/** A process that is killed during an upload leaves nothing behind once another process has started. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WRITER_SILENT_MS } from '../../src/blobs/blob-keeper.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { CLAIM_LEASE_MS } from '../../src/idempotency/once.ts';
import { newId } from '../../src/kernel/ids.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { engines } from '../support/engines.ts';
import { chatLine, filesConfig, kept, keptOnDisk, uploaded } from '../support/files-stage.ts';
import { startGateway } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { type Installed, install } from '../support/installed-gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

describe.each(engines)('killed during an upload on %s', (engine) => {
  let place: Installed;
  beforeAll(async () => {
    place = await install(engine, filesConfig);
  });
  afterAll(() => place.remove());

  test('after kill -9 the next process deletes the partial file, there is no row, and the same upload is accepted once the lease of its key has expired', async () => {
    const gateway = await startGatewayProcess(place);
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const line = chatLine('killed', { user: 'x'.repeat(100_000) });
    socket.write(
      `POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${place.key}\r\ncontent-length: 1000000\r\n` +
        `idempotency-key: killed\r\ncontent-type: multipart/form-data; boundary=b\r\n\r\n` +
        `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${line}`,
    );
    await vi.waitFor(() => expect(keptOnDisk(place.folder)).toEqual({ blobs: 0, partial: 1 }), PATIENCE);
    await gateway.kill();
    expect(keptOnDisk(place.folder)).toEqual({ blobs: 0, partial: 1 });
    const next = await startGatewayProcess(place);
    expect(keptOnDisk(place.folder)).toEqual({ blobs: 0, partial: 0 });
    const upload = async (): Promise<number> => {
      const form = new FormData();
      form.set('purpose', 'batch');
      form.set('file', new Blob([chatLine('killed')]), 'a');
      const headers = { authorization: `Bearer ${place.key}`, 'idempotency-key': 'killed' };
      const reply = await fetch(`${next.url}/v1/files`, { method: 'POST', body: form, headers });
      await reply.arrayBuffer();
      return reply.status;
    };
    const waited = { timeout: CLAIM_LEASE_MS + 4_000, interval: 100 };
    await expect.poll(upload, waited).not.toBe(409);
    expect(await upload()).toBe(200);
    expect(await next.stop()).toBe(0);
    const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
    const [left] = await db.query<{ files: number }>(sql`select count(*) as files from files`);
    await db.close();
    expect(left?.files).toBe(1);
  });
});

describe.each(engines)('blobs without a row on %s', (engine) => {
  test('a blob without a row is deleted when its lease has expired', async () => {
    const clock = shiftedClock();
    const gateway = await startGateway({ engine, config: filesConfig, clock });
    try {
      const file = await uploaded(gateway, chatLine('stays'));
      const name = newId('file', systemClock.now());
      mkdirSync(join(gateway.folder, 'blobs'), { recursive: true });
      writeFileSync(
        join(gateway.folder, 'blobs', name),
        'committed, but the process died before its row was written',
      );
      const lease = new Date(clock.now() + WRITER_SILENT_MS).toISOString();
      await gateway.query(sql`insert into pending_blobs (name, lease_until) values (${name}, ${lease})`);
      await gateway.sweepFiles();
      expect(await kept(gateway)).toEqual({ rows: 1, blobs: 2, partial: 0, pending: 1 });
      clock.shift(WRITER_SILENT_MS);
      await gateway.sweepFiles();
      expect(await kept(gateway)).toEqual({ rows: 1, blobs: 1, partial: 0, pending: 0 });
      expect(keptOnDisk(gateway.folder).blobs).toBe(1);
      expect(file.id).not.toBe(name);
    } finally {
      await gateway.stop();
    }
  });

  test('an upload whose blob lease expired is rejected, and leaves nothing behind', async () => {
    const clock = shiftedClock();
    const gateway = await startGateway({ engine, config: filesConfig, clock });
    try {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      const line = chatLine('slow');
      const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
      const rest = '\r\n--b\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--b--';
      const length = head.length + line.length + rest.length;
      socket.write(
        `POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\ncontent-length: ${length}\r\n` +
          `connection: close\r\ncontent-type: multipart/form-data; boundary=b\r\n\r\n${head}${line}`,
      );
      await vi.waitFor(async () => expect((await kept(gateway)).pending).toBe(1), PATIENCE);
      clock.shift(WRITER_SILENT_MS);
      await gateway.sweepFiles();
      socket.write(rest);
      const reply = Buffer.concat(await socket.toArray()).toString();
      expect(reply).toContain('HTTP/1.1 503');
      expect(await kept(gateway)).toEqual({ rows: 0, blobs: 0, partial: 0, pending: 0 });
    } finally {
      await gateway.stop();
    }
  });
});
