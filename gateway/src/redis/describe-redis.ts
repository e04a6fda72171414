/** Connects to Redis once, to see whether it answers and which version it has. */

export interface RedisFacts {
  /** `redis` or `valkey`. */
  readonly kind: string;
  /** Such as `7.2.4`; null: it does not say. */
  readonly version: string | null;
}

/** Throws if it does not answer within `timeoutMs`, or rejects the password. */
export async function describeRedis(url: string, timeoutMs: number): Promise<RedisFacts> {
  const { createClient } = await import('@redis/client');
  const client = createClient({
    url,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    socket: { connectTimeout: timeoutMs, socketTimeout: timeoutMs, reconnectStrategy: false },
  });
  // Reported by connect() too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
    return readVersion(await client.info('server'));
  } finally {
    if (client.isOpen) client.destroy();
  }
}

function readVersion(info: string): RedisFacts {
  const [, kind = 'redis', version = null] =
    /^(valkey)_version:(\S+)/m.exec(info) ?? /^(redis)_version:(\S+)/m.exec(info) ?? [];
  return { kind, version };
}
