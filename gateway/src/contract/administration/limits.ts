/** Limits that are set in the same way for spaces, members and keys. */
import { AllowedModels, MonthLimit, rateFields, request } from './fields.ts';

export const RateRequest = request(
  'Per-minute rate limits. One that is left out stays as it is.',
  rateFields,
);

export const AllowedModelsRequest = request('The models that may be used.', { models: AllowedModels });

export const MonthLimitRequest = request('A limit per calendar month (KST).', { month_limit: MonthLimit });
