/** Vectors in both encodings. Both carry 32-bit numbers, so the same bits arrive in either. */
import type { VectorEncoding } from './embedding-call.ts';

const FLOAT_BYTES = 4;

/** Reads a list of numbers or base64; null for anything else and for invalid numbers. */
export function readVector(value: unknown): Float32Array | null {
  const vector = typeof value === 'string' ? readBase64(value) : readNumbers(value);
  return vector !== null && vector.length > 0 && vector.every(Number.isFinite) ? vector : null;
}

/** As JSON. */
export function writeVector(vector: Float32Array, encoding: VectorEncoding): string {
  return encoding === 'base64' ? `"${writeBase64(vector)}"` : `[${writeNumbers(vector)}]`;
}

function readNumbers(value: unknown): Float32Array | null {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'number')) return null;
  return Float32Array.from(value);
}

/** Little-endian on every machine, unlike a typed array. */
function readBase64(text: string): Float32Array | null {
  const bytes = Buffer.from(text, 'base64');
  // The decoder skips invalid characters, so the length is checked.
  const whole = bytes.length % FLOAT_BYTES === 0 && bytes.toString('base64').length === text.length;
  if (!whole) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const vector = new Float32Array(bytes.length / FLOAT_BYTES);
  for (let i = 0; i < vector.length; i++) vector[i] = view.getFloat32(i * FLOAT_BYTES, true);
  return vector;
}

function writeBase64(vector: Float32Array): string {
  const bytes = Buffer.allocUnsafe(vector.length * FLOAT_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let i = 0; i < vector.length; i++) view.setFloat32(i * FLOAT_BYTES, vector[i] as number, true);
  return bytes.toString('base64');
}

/** All digits of each number, so that parsing gives the same 32 bits. */
function writeNumbers(vector: Float32Array): string {
  const text = vector.join();
  // Negative zero would lose its sign.
  return vector.some((value) => Object.is(value, -0)) ? vectorTexts(vector).join() : text;
}

function vectorTexts(vector: Float32Array): string[] {
  return Array.from(vector, (value) => (Object.is(value, -0) ? '-0.0' : String(value)));
}
