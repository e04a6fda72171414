import { useState } from 'react';
import { keepSessionKey, readSessionKey } from './session-key.ts';

/** The key of this tab, which the Connect page keeps too; empty if there is none. */
export function useSessionKey(): [string, (key: string) => void] {
  const [key, setKey] = useState(readSessionKey);
  const change = (next: string): void => {
    keepSessionKey(next);
    setKey(next);
  };
  return [key, change];
}
