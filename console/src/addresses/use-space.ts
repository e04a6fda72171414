import { useParams } from '@tanstack/react-router';

/** The name of the space of the page. */
export function useSpace(): string {
  const { space } = useParams({ strict: false });
  if (space === undefined) throw new Error('this page is not the page of a space');
  return space;
}
