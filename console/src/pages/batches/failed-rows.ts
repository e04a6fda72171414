/** The rows of an input file that are in the error file, unchanged. Pure. */

export function failedRows(input: string, errors: string): string {
  const failed = new Set(linesOf(errors).map(customIdOf));
  return linesOf(input)
    .filter((line) => failed.has(customIdOf(line)))
    .map((line) => `${line}\n`)
    .join('');
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function customIdOf(line: string): string {
  return (JSON.parse(line) as { custom_id: string }).custom_id;
}
