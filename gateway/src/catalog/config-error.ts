/** `tollgate.yaml` is invalid; `message` says where and why, for the person who edits it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
