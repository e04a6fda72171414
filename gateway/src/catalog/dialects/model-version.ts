/** Versions in the names of models. */
export interface Version {
  readonly major: number;
  readonly minor: number;
}

export function atLeast(version: Version, major: number, minor: number): boolean {
  return version.major > major || (version.major === major && version.minor >= minor);
}
