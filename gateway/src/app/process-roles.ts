/** What a process does: `--role`. */

/** `http`: the API and the console. `worker`: batches, videos, settlements and sweeps. `logs`: log streams. */
export const processRoles = ['http', 'worker', 'logs'] as const;
export type ProcessRole = (typeof processRoles)[number];
export type ProcessRoles = ReadonlySet<ProcessRole>;

/** Whether a process with these roles has the public listener. */
export function listens(roles: ProcessRoles): boolean {
  return roles.has('http') || roles.has('logs');
}

export function isRole(text: string): text is ProcessRole {
  return (processRoles as readonly string[]).includes(text);
}
