/** The states of a video job, without the schema library. */
export const jobStatuses = ['queued', 'in_progress', 'succeeded', 'failed', 'cancelled', 'expired'] as const;
export type JobStatus = (typeof jobStatuses)[number];
