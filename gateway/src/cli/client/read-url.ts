/** Reads the address of a gateway as people type it. */
import { SettingsError } from '../../app/settings.ts';

export const DEFAULT_URL = 'http://localhost:8080';

/** Without a scheme, http is assumed: `localhost:8080`. The path stays, because some people add `/v1`. */
export function readUrl(text: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new SettingsError(
    `${JSON.stringify(text.slice(0, 200))} is not the address of a gateway. Write it as ${DEFAULT_URL}.`,
  );
}
