/**
 * Which statements a program of the previous version does not notice: new tables, new indexes and statistics, and new
 * columns that may be left out of an insert, also filling these. Anything else may make it fail.
 */

/** The statements of a migration that the previous version may notice. */
export function noticedStatements(script: string): string[] {
  const statements = statementsOf(script);
  const created = new Set(statements.flatMap((statement) => CREATE_TABLE.exec(statement)?.[1] ?? []));
  const added = new Set(statements.flatMap(addedColumns));
  return statements.filter((statement) => !isUnnoticed(statement, created) && !fillsOnly(statement, added));
}

/** The columns that a statement adds, as `table.column`. */
function addedColumns(statement: string): string[] {
  const [, table = '', actions = ''] = ALTER_TABLE.exec(statement) ?? [];
  return splitOutside(actions, ',').flatMap((action) => {
    const column = ADD_COLUMN.exec(action)?.[1];
    return column === undefined ? [] : [`${table}.${column}`];
  });
}

/** Whether it is an update of columns that the previous version does not know. */
function fillsOnly(statement: string, added: ReadonlySet<string>): boolean {
  const [, table = '', rest = ''] = /^update (\w+)(?: \w+)? set (.*)$/.exec(statement) ?? [];
  const [assignments = ''] = rest.split(/ (?:from|where) /);
  const columns = splitOutside(assignments, ',').map((one) => /^(\w+) = /.exec(one)?.[1] ?? '');
  return columns.every((column) => added.has(`${table}.${column}`));
}

const CREATE_TABLE = /^create (?:unlogged )?table (?:if not exists )?(\w+)/;
const CREATE_INDEX = /^create (unique )?index (?:if not exists )?\w+ on (\w+)/;
const CREATE_TRIGGER = /^create trigger \w+ (?:before|after) [a-z ]+ on (\w+)/;
const ADD_COLUMN = /^add column (?:if not exists )?(\w+) /;
const ALTER_TABLE = /^alter table (\w+) (.*)$/;

function isUnnoticed(statement: string, created: ReadonlySet<string>): boolean {
  if (CREATE_TABLE.test(statement) || /^(create statistics|comment on) /.test(statement)) return true;
  const index = CREATE_INDEX.exec(statement);
  // A unique index rejects rows that the previous version may still write.
  if (index !== null) return index[1] === undefined || created.has(index[2] as string);
  const watched = CREATE_TRIGGER.exec(statement)?.[1];
  if (watched !== undefined) return created.has(watched);
  const filled = /^(?:insert into|update) (\w+)/.exec(statement)?.[1];
  if (filled !== undefined) return created.has(filled);
  const [, table = '', actions = ''] = ALTER_TABLE.exec(statement) ?? [];
  return created.has(table) || (actions !== '' && splitOutside(actions, ',').every(isOptionalColumn));
}

/** Without a rule that an insert of the previous version could break. */
function isOptionalColumn(action: string): boolean {
  if (!ADD_COLUMN.test(action)) return false;
  if (/\b(?:check|unique|primary key|references|generated)\b/.test(action)) return false;
  return !/\bnot null\b/.test(action) || /\bdefault\b/.test(action);
}

function statementsOf(script: string): string[] {
  const code = script
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();
  return splitOutside(code, ';').filter((statement) => statement !== '');
}

/** Splits where the mark is not in quotes or parentheses. */
function splitOutside(text: string, mark: string): string[] {
  const parts = [''];
  let [depth, quote] = [0, false];
  for (const letter of text) {
    if (letter === "'") quote = !quote;
    if (!quote && letter === '(') depth += 1;
    if (!quote && letter === ')') depth -= 1;
    if (letter === mark && depth === 0 && !quote) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim());
}
