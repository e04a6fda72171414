/** What a model in `tollgate.yaml` has, unless the file says it. */
export const modelDefaults = {
  priority: 1,
  weight: 1,
  strategy: 'sticky',
  capabilities: ['streaming'],
  imagesMax: 10,
  referencesMax: 3,
  videosMax: 1,
} as const;
