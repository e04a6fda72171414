/** The text that is searched. The field has it at once; the address follows. */
import { useEffect, useRef, useState } from 'react';

export function useTypedQuery(
  inAddress: string,
  write: (query: string) => void,
): [string, (query: string) => void] {
  const [typed, setTyped] = useState(inAddress);
  const written = useRef(inAddress);
  useEffect(() => {
    // It may lag behind what is typed; only another address, such as after Back, changes the field.
    if (inAddress === written.current) return;
    if (document.activeElement instanceof HTMLInputElement) return;
    written.current = inAddress;
    setTyped(inAddress);
  }, [inAddress]);
  return [
    typed,
    (query) => {
      written.current = query;
      setTyped(query);
      write(query);
    },
  ];
}
