/** A backup cannot be written, or cannot be restored. The message is for a person. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
