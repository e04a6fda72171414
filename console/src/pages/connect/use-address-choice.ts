import { useState } from 'react';

/** A choice that stands in the address, so that a reload or a shared link keeps it. Never for secrets. */
export function useAddressChoice(name: string): [string | null, (value: string) => void] {
  const [value, setValue] = useState(() => new URLSearchParams(location.search).get(name));
  const choose = (chosen: string): void => {
    const address = new URL(location.href);
    address.searchParams.set(name, chosen);
    history.replaceState(null, '', address);
    setValue(chosen);
  };
  return [value, choose];
}
