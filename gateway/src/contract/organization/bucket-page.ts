/** The answers of the usage reports in the form of OpenAI's API: pages of buckets of results. */
import { type TProperties, type TSchema, Type } from 'typebox';
import { DecimalString, described, nullable } from '../schema.ts';
import {
  costsReport,
  type Grouping,
  groupings,
  type OrganizationReport,
  usageReports,
} from './usage-reports.ts';

/** Of ISO 4217, in small letters as in OpenAI's API: no currency, because the amount is in units. */
export const UNITS_CURRENCY = 'xxx';

const seconds = (description: string) => Type.Integer({ description, examples: [1_793_458_800] });

function pageOf(result: TSchema, description: string) {
  return Type.Object(
    {
      object: Type.Literal('page', { description: 'Always `page`.' }),
      data: Type.Array(
        Type.Object({
          object: Type.Literal('bucket', { description: 'Always `bucket`.' }),
          start_time: seconds('Its first second (Unix time).'),
          end_time: seconds('The second after its last one.'),
          results: Type.Array(result, {
            description: 'A result for each combination of the groups; empty if nothing was used.',
          }),
        }),
        { description: 'The buckets, the earliest first. None is left out.' },
      ),
      has_more: Type.Boolean({ description: 'Whether another page follows.' }),
      next_page: nullable(
        Type.String({ description: 'Send it as `page` for the next page. Null: there is none.' }),
      ),
    },
    { description },
  );
}

/** Null unless it was asked for in `group_by`. */
function groupFields(groups: readonly Grouping[]): TProperties {
  return Object.fromEntries(
    groups.map((group) => {
      const type = group === 'batch' ? Type.Boolean() : Type.String();
      return [group, nullable(described(type, `${groupings[group]}. Null: not grouped by it.`))];
    }),
  );
}

function usagePage({ object, fields, groups }: OrganizationReport) {
  const counts = Object.entries(fields).map(([name, { description }]) => [
    name,
    Type.Integer({ description }),
  ]);
  return pageOf(
    Type.Object({
      object: Type.Literal(object, { description: 'What it is.' }),
      ...(Object.fromEntries(counts) as TProperties),
      ...groupFields(groups),
    }),
    'Usage by time.',
  );
}

export const CostsPage = pageOf(
  Type.Object({
    object: Type.Literal(costsReport.object, { description: 'What it is.' }),
    amount: Type.Object(
      {
        value: Type.Number({
          description:
            'An exact decimal, with up to 24 places. Programs that read it as a binary fraction round it.',
          examples: [0.0024135],
        }),
        currency: Type.String({
          description: `The currency that the installation states a unit is worth in, in small letters. \`${UNITS_CURRENCY}\` (no currency): \`value\` is in units.`,
          examples: [UNITS_CURRENCY],
        }),
      },
      { description: 'What was charged.' },
    ),
    units: described(DecimalString, 'The same in units.'),
    num_requests: Type.Integer({ description: 'Requests that were charged, or have no price.' }),
    num_unpriced_requests: Type.Integer({
      description: 'Those of them without a price. They are not in the amount.',
    }),
    ...groupFields(costsReport.groups),
  }),
  'Costs by day.',
);

export const CompletionsPage = usagePage(usageReports.completions);
export const EmbeddingsPage = usagePage(usageReports.embeddings);
export const ImagesPage = usagePage(usageReports.images);
export const WebSearchesPage = usagePage(usageReports.webSearches);
export const FileSearchesPage = usagePage(usageReports.fileSearches);
export const CodeSessionsPage = usagePage(usageReports.codeSessions);
export const ModerationsPage = usagePage(usageReports.moderations);
export const SpeechesPage = usagePage(usageReports.speeches);
export const TranscriptionsPage = usagePage(usageReports.transcriptions);
export const VectorStoresPage = usagePage(usageReports.vectorStores);
