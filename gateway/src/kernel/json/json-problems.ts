/** What is said of JSON that cannot be read, in the same words wherever it is found out. */
import { Problem } from '../problem.ts';

export function emptyBody(): Problem {
  return invalid('The body is empty; a JSON object is expected.');
}

export function notObject(): Problem {
  return invalid('The body is JSON, but not an object ({…}).');
}

export function notUtf8(): Problem {
  return invalid('The body is not valid UTF-8.');
}

export function notWellFormed(character: string | null = null): Problem {
  const hint = character === null ? '' : ` The first error is at character ${character}.`;
  return invalid(`The body is not well-formed JSON.${hint}`);
}

export function tooDeep(depthMax: number): Problem {
  return invalid(`The body is nested deeper than ${depthMax} levels.`);
}

export function tooMany(what: string, max: number): Problem {
  return invalid(`The body has more than ${max} ${what}.`);
}

export function protoKey(): Problem {
  return invalid('The key "__proto__" is not allowed.', '__proto__');
}

export function twice(key: string): Problem {
  const shown = key.slice(0, 100);
  return invalid(`The key ${JSON.stringify(shown)} appears twice in one object.`, shown);
}

function invalid(detail: string, param?: string): Problem {
  return new Problem('invalid_json', { detail, ...(param !== undefined && { param }) });
}
