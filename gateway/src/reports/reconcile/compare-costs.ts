/** Compares a provider's export with our provider side, by day, model and project. Pure. */
import {
  compareUnits,
  negateUnits,
  parseUnits,
  printUnits,
  subtractUnits,
  sumUnits,
  type Units,
  ZERO,
} from '../../kernel/units.ts';
import type { ProviderDayRow } from '../provider-work.store.ts';
import { addExact, type ExactAmount, toUnits } from './exact-amount.ts';
import type { CostExport, ExportLine } from './export-line.ts';
import { matchModel } from './match-model.ts';

export interface ComparedPeriod {
  /** UTC days; `until` is not included. */
  readonly from: string;
  readonly until: string;
}

export interface CompareOptions extends ComparedPeriod {
  /** The project of our key; null: the export has only one. */
  readonly project: string | null;
  /** Names of the export → our model names. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Differences up to this are ignored. */
  readonly tolerance: Units;
}

export interface CostDifference {
  readonly day: string;
  /** Our model name at the provider, or the name in the export if we have no such model. */
  readonly model: string;
  readonly project: string | null;
  /** Null: not in the export. */
  readonly exported: string | null;
  /** Null: we have no such requests. */
  readonly ours: string | null;
  /** The export minus ours. */
  readonly difference: string;
  readonly requests: number;
  readonly unknown: number;
  readonly estimated: number;
}

export interface ComparedCosts extends ComparedPeriod {
  readonly currency: string;
  /** How many days of a model were compared. */
  readonly compared: number;
  readonly exported: string;
  readonly ours: string;
  readonly difference: string;
  readonly differences: readonly CostDifference[];
  /** Amounts of the export that belong to other projects, and were not compared. */
  readonly otherProjects: ReadonlyArray<{ readonly project: string | null; readonly exported: string }>;
}

export function compareCosts(
  { lines: all, describes }: CostExport,
  days: readonly ProviderDayRow[],
  options: CompareOptions & { readonly currency: string },
): ComparedCosts {
  const { from, until, project, currency } = options;
  const inside = all.filter(({ day }) => day >= from && day < until);
  const lines = inside.filter((line) => project === null || line.project === project);
  const models = [...new Set(days.map(({ model }) => model))];
  const named = (line: ExportLine): string =>
    matchModel(line.name, models, { aliases: options.aliases, describes }) ?? line.name;
  const exported = new Map(
    [...Map.groupBy(lines, (line) => cellOf(line.day, named(line)))].map(([cell, own]) => [cell, sumOf(own)]),
  );
  const ours = new Map(days.map((row) => [cellOf(row.day, row.model), row]));
  const cells = [...new Set([...exported.keys(), ...ours.keys()])].toSorted();
  const shownProject = project ?? lines[0]?.project ?? null;
  const compared = cells.map((cell) =>
    compareCell(cell, { exported: exported.get(cell), row: ours.get(cell), project: shownProject }),
  );
  const [exportedSum, ourSum] = [
    sumUnits(exported.values()),
    sumUnits(days.map(({ cost }) => parseUnits(cost))),
  ];
  return {
    ...{ from, until, currency },
    compared: cells.length,
    exported: printUnits(exportedSum),
    ours: printUnits(ourSum),
    difference: printUnits(subtractUnits(exportedSum, ourSum)),
    differences: compared.filter(
      ({ difference, unknown }) => unknown > 0 || beyond(difference, options.tolerance),
    ),
    otherProjects: otherProjects(inside, project),
  };
}

function beyond(difference: string, tolerance: Units): boolean {
  const amount = parseUnits(difference);
  return compareUnits(amount < 0n ? negateUnits(amount) : amount, tolerance) > 0;
}

function compareCell(
  cell: string,
  of: { exported: Units | undefined; row: ProviderDayRow | undefined; project: string | null },
): CostDifference {
  const { exported, row, project } = of;
  const [day = '', model = ''] = JSON.parse(cell) as string[];
  const ours = row === undefined ? ZERO : parseUnits(row.cost);
  return {
    ...{ day, model, project },
    exported: exported === undefined ? null : printUnits(exported),
    ours: row === undefined ? null : printUnits(ours),
    difference: printUnits(subtractUnits(exported ?? ZERO, ours)),
    requests: row?.requests ?? 0,
    unknown: row?.unknown ?? 0,
    estimated: row?.estimated ?? 0,
  };
}

/** Days sort first. */
function cellOf(day: string, model: string): string {
  return JSON.stringify([day, model]);
}

function sumOf(lines: readonly ExportLine[]): Units {
  return toUnits(lines.reduce((sum, { amount }) => addExact(sum, amount), 0n as ExactAmount));
}

function otherProjects(lines: readonly ExportLine[], project: string | null) {
  if (project === null) return [];
  const others = lines.filter((line) => line.project !== project);
  return [...Map.groupBy(others, (line) => line.project)].map(([other, own]) => ({
    project: other,
    exported: printUnits(sumOf(own)),
  }));
}
