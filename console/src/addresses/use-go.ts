import { type NavigateOptions, type RegisteredRouter, useNavigate } from '@tanstack/react-router';

/** Goes to another address. The router itself shows what goes wrong on the way. */
export function useGo() {
  const navigate = useNavigate();
  return <To extends string>(options: NavigateOptions<RegisteredRouter, string, To>): void => {
    navigate(options).catch(reportError);
  };
}
