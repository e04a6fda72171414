/** The header of an entry of a tar file, in the ustar form that every tar program reads. */

export const TAR_BLOCK = 512;
/** Eleven octal digits. */
const BYTES_MAX = 8 ** 11 - 1;
const NAME_MAX = 100;
const CHECKSUM = { at: 148, end: 156 };

export interface TarEntryFacts {
  readonly name: string;
  readonly bytes: number;
}

export function tarHeader({ name, bytes }: TarEntryFacts): Buffer {
  if (name.length > NAME_MAX || bytes > BYTES_MAX)
    throw new RangeError(`${name} does not fit into a tar file`);
  const header = Buffer.alloc(TAR_BLOCK);
  header.write(name, 0, 'latin1');
  // Readable for its user only, of nobody, from no time.
  header.write(
    `${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(bytes, 11)}\0${octal(0, 11)}\0`,
    100,
  );
  header.write('0ustar\x0000', 156, 'latin1');
  header.write(`${octal(checksumOf(header), 6)}\0 `, CHECKSUM.at, 'latin1');
  return header;
}

/** Null if it is not a header that `tarHeader` wrote. */
export function readTarHeader(header: Buffer): TarEntryFacts | null {
  const stored = Number.parseInt(header.toString('latin1', CHECKSUM.at, CHECKSUM.end), 8);
  if (stored !== checksumOf(header)) return null;
  const [name = ''] = header.toString('latin1', 0, NAME_MAX).split('\0');
  const bytes = Number.parseInt(header.toString('latin1', 124, 135), 8);
  return name === '' || !Number.isSafeInteger(bytes) ? null : { name, bytes };
}

/** Content is followed by zeros up to the next block. */
export function paddingAfter(bytes: number): number {
  return (TAR_BLOCK - (bytes % TAR_BLOCK)) % TAR_BLOCK;
}

/** The sum of all bytes, with spaces in place of the checksum itself. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= CHECKSUM.at && at < CHECKSUM.end ? 0x20 : byte;
  return sum;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}
