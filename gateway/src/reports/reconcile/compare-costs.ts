/** Compares a provider's export with our provider side, by day, model and project; fees of hosted tools by day. Pure. */
import {
  addUnits,
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
  /** The kinds of hosted tools that it is a fee for; empty for a model. */
  readonly tools: readonly string[];
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

/** What the provider will bill for a day of a model, and what of it is for hosted tools. */
export type ProviderDayCosts = Omit<ProviderDayRow, 'currency'> & {
  readonly tools: ReadonlyArray<{ readonly tool: string; readonly requests: number; readonly cost: string }>;
};

export function compareCosts(
  { lines: all, describes }: CostExport,
  days: readonly ProviderDayCosts[],
  options: CompareOptions & { readonly currency: string },
): ComparedCosts {
  const { from, until, project, currency } = options;
  const inside = all.filter(({ day }) => day >= from && day < until);
  const lines = inside.filter((line) => project === null || line.project === project);
  const models = [...new Set(days.map(({ model }) => model))];
  const modelOf = ({ name }: ExportLine): string | null =>
    matchModel(name, models, { aliases: options.aliases, describes });
  const fees = listedFees(lines.filter((line) => modelOf(line) === null));
  const nameOf = (line: ExportLine): string => modelOf(line) ?? feeOf(line, fees)?.name ?? line.name;
  const exported = new Map(
    [...Map.groupBy(lines, (line) => cellOf(line.day, nameOf(line)))].map(([cell, own]) => [
      cell,
      sumOf(own),
    ]),
  );
  const ours = ourCells(days, fees);
  const cells = [...new Set([...exported.keys(), ...ours.keys()])].toSorted();
  const shownProject = project ?? lines[0]?.project ?? null;
  const compared = cells.map((cell) =>
    compareCell(cell, { exported: exported.get(cell), row: ours.get(cell), project: shownProject, fees }),
  );
  const [exportedSum, ourSum] = [
    sumUnits(exported.values()),
    sumUnits(days.map(({ cost }) => parseUnits(cost))),
  ];
  return {
    from,
    until,
    currency,
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

/** A fee of the export that names no model, and the hosted tools that it is for. */
interface Fee {
  /** As the export calls it the first time. */
  readonly name: string;
  readonly tools: readonly string[];
}

function listedFees(lines: readonly ExportLine[]): Fee[] {
  const fees: Fee[] = [];
  for (const line of lines) {
    const tools = feeTools(line.name);
    if (tools.length > 0 && feeOf(line, fees) === undefined) fees.push({ name: line.name, tools });
  }
  return fees;
}

function feeOf({ name }: ExportLine, fees: readonly Fee[]): Fee | undefined {
  const tools = feeTools(name);
  return fees.find((fee) => fee.tools === tools);
}

/** What we expect for a day of a model or a fee. */
interface OurCell {
  readonly cost: Units;
  readonly requests: number;
  readonly unknown: number;
  readonly estimated: number;
}

/** The cost of tools for which the export has fees is not part of the cost of their models. */
function ourCells(days: readonly ProviderDayCosts[], fees: readonly Fee[]): Map<string, OurCell> {
  const cells = new Map<string, OurCell>();
  for (const { day, model, tools, cost, requests, unknown, estimated } of days) {
    let left = parseUnits(cost);
    for (const { name, tools: kinds } of fees) {
      const own = tools.filter(({ tool }) => kinds.includes(tool));
      if (own.length === 0) continue;
      const part = sumUnits(own.map((one) => parseUnits(one.cost)));
      left = subtractUnits(left, part);
      const asked = Math.max(...own.map((one) => one.requests));
      addCell(cells, cellOf(day, name), { cost: part, requests: asked, unknown: 0, estimated: 0 });
    }
    addCell(cells, cellOf(day, model), { cost: left, requests, unknown, estimated });
  }
  return cells;
}

function addCell(cells: Map<string, OurCell>, cell: string, added: OurCell): void {
  const { cost, requests, unknown, estimated } = cells.get(cell) ?? NOTHING;
  cells.set(cell, {
    cost: addUnits(cost, added.cost),
    requests: requests + added.requests,
    unknown: unknown + added.unknown,
    estimated: estimated + added.estimated,
  });
}

const NOTHING: OurCell = { cost: ZERO, requests: 0, unknown: 0, estimated: 0 };

function compareCell(
  cell: string,
  of: {
    readonly exported: Units | undefined;
    readonly row: OurCell | undefined;
    readonly project: string | null;
    readonly fees: readonly Fee[];
  },
): CostDifference {
  const { exported, row, project } = of;
  const [day = '', model = ''] = JSON.parse(cell) as string[];
  const ours = row?.cost ?? ZERO;
  return {
    day,
    model,
    tools: of.fees.find(({ name }) => name === model)?.tools ?? [],
    project,
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

/** What providers call the fees of hosted tools, and how the gateway counts these. */
const fees: ReadonlyArray<readonly [words: RegExp, tools: readonly string[]]> = [
  [/\bgrounding\b|\bgoogle search\b/, ['google_search_query', 'google_search_prompt']],
  [/\bweb search\b/, ['web_search']],
  [/\bfile search\b/, ['file_search']],
  [/\bcode (?:execution|interpreter)\b/, ['code_execution', 'code_interpreter']],
];

/** Empty: it is no such fee. */
function feeTools(name: string): readonly string[] {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ');
  return fees.find(([pattern]) => pattern.test(words))?.[1] ?? [];
}
