import { useNavigate } from '@tanstack/react-router';

type Options = Parameters<ReturnType<typeof useNavigate>>[0];

/** Goes to another address. The router itself shows what goes wrong on the way. */
export function useGo(): (options: Options) => void {
  const navigate = useNavigate();
  return (options) => {
    navigate(options).catch(reportError);
  };
}
