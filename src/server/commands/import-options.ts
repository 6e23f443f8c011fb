/** Options of `import` and `imports map` about columns: `--map`, `--map-file` and `--fill`. */
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import {
  ColumnMap,
  type Mapping,
  readPairs,
  targetOf,
} from '../../intake/import/column-meanings.ts'
import { DATE_ORDERS } from '../../intake/import/fields/date-orders.ts'
import { fillProblem, kindsWith, targetProblem } from '../../intake/import/option-problems.ts'
import { KINDS, type KindName } from '../../intake/import/summary.ts'
import { namingFile, Refusal } from './command.ts'
import { parseChoice } from './parsers.ts'

export interface MapOptions {
  map?: readonly string[] | undefined
  mapFile?: string | undefined
}

const collect = (given: string, before: readonly string[] = []) => [...before, given]

export function withMapOptions(command: Command): Command {
  return command
    .option(
      '--map <column=field>',
      'a column that means the field, or with nothing behind = is ignored; field*1e6 where its numbers are in millions; may be given again',
      collect,
    )
    .option('--map-file <file>', 'the same as JSON {"column": "field"} or CSV of two columns')
}

/**
 * The mappings for an import of these kinds.
 * @throws Refusal naming the option and what is wrong with it.
 */
export async function readMaps(
  options: MapOptions,
  kinds: readonly KindName[],
): Promise<ColumnMap> {
  return new ColumnMap(await readMappings(options, (mapping) => checked(mapping, kinds)))
}

/** Mappings of `--map` and of the file; `--map` goes first. @throws Refusal */
export async function readMappings(
  { map = [], mapFile }: MapOptions,
  check: (mapping: Mapping) => Mapping = (mapping) => mapping,
): Promise<Mapping[]> {
  const options = map.map((option) => check(mappingOf(option)))
  const inFile = mapFile === undefined ? [] : await pairsIn(mapFile)
  const fromFile = inFile.map(([column, field]) => {
    const where = `--map-file ${mapFile}: "${column}=${field ?? ''}"`
    return check(mappingTo(column, field ?? '', where))
  })
  refuseTwice(options)
  refuseTwice(fromFile)
  const columns = new Set(options.map(({ column }) => column))
  return [...options, ...fromFile.filter(({ column }) => !columns.has(column))]
}

/** Splits at the last `=`, because a column's name may have one and a field's has none. */
function mappingOf(option: string): Mapping {
  const at = option.lastIndexOf('=')
  const column = option.slice(0, Math.max(at, 0)).trim()
  const given = `--map "${option}"`
  if (column === '') {
    throw new Refusal(`${given}: give "column=field", or "column=" for a column to ignore`)
  }
  return mappingTo(column, option.slice(at + 1), given)
}

const mappingTo = (column: string, target: string, given: string): Mapping => {
  const { field, factor } = targetOf(target)
  return { column, field: field || null, ...(factor !== undefined && { factor }), given }
}

async function pairsIn(path: string): Promise<[string, string | null][]> {
  const content = await readFile(path).catch(namingFile(path))
  try {
    const pairs = await readPairs(Readable.from([content]))
    return pairs.filter(([column, field], i) => i > 0 || column !== 'column' || field !== 'field')
  } catch (error) {
    throw new Refusal(`--map-file ${path}: ${error instanceof Error ? error.message : error}`)
  }
}

function checked(mapping: Mapping, kinds: readonly KindName[]): Mapping {
  const { field, factor, given } = mapping
  if (field === null) {
    if (factor === undefined) return mapping
    throw new Refusal(`${given}: name the field before its unit, as in amountUsd*1e6`)
  }
  const problem = targetProblem(kinds, { field, factor })
  if (problem !== undefined) throw new Refusal(`${given}: ${problem}`)
  return mapping
}

function refuseTwice(mappings: readonly Mapping[]) {
  const seen = new Map<string, Mapping>()
  for (const mapping of mappings) {
    const other = seen.get(mapping.column)
    if (other && (other.field !== mapping.field || other.factor !== mapping.factor)) {
      const what = other.field === mapping.field ? 'units' : 'fields'
      throw new Refusal(
        `${mapping.given}: "${mapping.column}" is mapped twice, to different ${what}`,
      )
    }
    seen.set(mapping.column, mapping)
  }
}

export type Fill = Partial<Record<KindName, Record<string, string>>>

export const withFillOption = (command: Command): Command =>
  command.option(
    '--fill <field=value>',
    'the value of a field for rows that have nothing in it; may be given again',
    collect,
  )

export const withDateOrder = (command: Command): Command =>
  command.option(
    '--date-order <order>',
    `the order of dates like 3/5/24: ${DATE_ORDERS.join(', ')} (day, month, year)`,
    parseChoice(DATE_ORDERS),
  )

export const withFast = (command: Command): Command =>
  command.option(
    '--fast',
    'at full speed, also while a service answers calls: they take longer then',
  )

/** For the hook `preAction`: refuses a command without a file. */
export function expectFiles(command: Command): void {
  const given: Partial<Record<KindName, string>> = command.opts()
  if (KINDS.every((kind) => given[kind] === undefined))
    command.error('error: give at least one of --companies, --people, --rounds')
}

/**
 * The values for each kind of an import that has the field.
 * @throws Refusal naming what was given and what is wrong with it.
 */
export function readFill(given: readonly string[] = [], kinds: readonly KindName[]): Fill {
  const fill: Fill = {}
  for (const option of given) {
    const said = `--fill "${option}"`
    const [field, value] = pairOf(option)
    const problem = fillProblem(kinds, field, value)
    if (problem !== undefined) throw new Refusal(`${said}: ${problem}`)
    for (const kind of kindsWith(kinds, field)) fill[kind] = { ...fill[kind], [field]: value }
  }
  return fill
}

/** Splits "field=value". @throws Refusal */
export function pairOf(option: string): [field: string, value: string] {
  const [, field = '', value = ''] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/s.exec(option) ?? []
  if (field === '' || value === '') throw new Refusal(`--fill "${option}": give "field=value"`)
  return [field, value]
}
