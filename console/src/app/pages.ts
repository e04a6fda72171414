/** The pages of a space, in the order of the side bar, grouped by what people do there. */
import type { appTexts } from './texts.ts';

type AppText = keyof (typeof appTexts)['catalogues']['en'];

export interface PagePlace {
  /** The last part of its address, and the key of its name. */
  readonly path: string;
  readonly title: AppText;
  /** Only administrators of the space and operators see it. */
  readonly admin?: true;
}

export const pageGroups: ReadonlyArray<{
  readonly title: AppText | null;
  readonly pages: readonly PagePlace[];
}> = [
  { title: null, pages: [{ path: 'home', title: 'home' }] },
  {
    title: 'build',
    pages: [
      { path: 'connect', title: 'connect' },
      { path: 'playground', title: 'playground' },
      { path: 'models', title: 'models' },
      { path: 'batches', title: 'batches' },
      { path: 'jobs', title: 'jobs' },
    ],
  },
  {
    title: 'observe',
    pages: [
      { path: 'requests', title: 'requests' },
      { path: 'usage', title: 'usage' },
      { path: 'logs', title: 'logs' },
    ],
  },
  {
    title: 'manage',
    pages: [
      { path: 'keys', title: 'keys' },
      { path: 'members', title: 'members', admin: true },
      { path: 'balance', title: 'balance', admin: true },
      { path: 'audit', title: 'audit', admin: true },
    ],
  },
];

export const spacePages: readonly PagePlace[] = pageGroups.flatMap(({ pages }) => pages);
