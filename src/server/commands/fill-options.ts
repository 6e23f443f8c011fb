/** The option `--fill`: the value of a field for all rows that have nothing in it. */
import type { Command } from 'commander'
import { InvalidValue } from '../../intake/import/fields/values.ts'
import { FIELDS } from '../../intake/import/kinds.ts'
import { columnsOf } from '../../intake/import/read.ts'
import type { KindName } from '../../intake/import/summary.ts'
import { Refusal } from './command.ts'

/** Fields by which a row is known: one value of them for many rows would make one record of all. */
const KEYS = ['id', 'externalId', 'slug']

export type Fill = Partial<Record<KindName, Record<string, string>>>

export const withFillOption = (command: Command): Command =>
  command.option(
    '--fill <field=value>',
    'the value of a field for rows that have nothing in it; may be given again',
    (given: string, before: readonly string[] = []) => [...before, given],
  )

/**
 * The values for each kind of an import that has the field.
 * @throws Refusal naming what was given and what is wrong with it.
 */
export function readFill(given: readonly string[] = [], kinds: readonly KindName[]): Fill {
  const fill: Fill = {}
  for (const option of given) {
    const said = `--fill "${option}"`
    const [field, value] = pairOf(option)
    if (KEYS.includes(field)) throw new Refusal(`${said}: a key is a single record's`)
    const having = kinds.filter((kind) => Object.hasOwn(FIELDS[kind], field))
    if (having.length === 0) {
      const [near] = kinds.flatMap((kind) => columnsOf(kind).likely(field) ?? [])
      const hint = near === undefined ? '' : ` (did you mean ${near}?)`
      throw new Refusal(`${said}: ${kinds.join(' and ')} have no field "${field}"${hint}`)
    }
    for (const kind of having) {
      checkValue(kind, field, value, said)
      fill[kind] = { ...fill[kind], [field]: value }
    }
  }
  return fill
}

/** @throws Refusal where it is no "field=value". */
export function pairOf(option: string): [field: string, value: string] {
  const [, field = '', value = ''] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/s.exec(option) ?? []
  if (field === '' || value === '') throw new Refusal(`--fill "${option}": give "field=value"`)
  return [field, value]
}

function checkValue(kind: KindName, field: string, value: string, said: string) {
  try {
    FIELDS[kind][field]?.clean(value)
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error
    throw new Refusal(`${said}: ${error.message}`)
  }
}
