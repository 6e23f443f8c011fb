/** What `chainkin import --help --fields` prints: every field of the three files, from the table that the import reads. */
import { Help } from 'commander'
import type { Field } from '../../intake/import/fields/types.ts'
import { FIELDS } from '../../intake/import/kinds.ts'
import { KINDS } from '../../intake/import/summary.ts'

const WIDTH = 96
const INDENT = '      '

/** Lists the fields of the three files, a paragraph each. */
export function fieldsText(): string {
  return KINDS.map((kind) => {
    const fields = Object.entries(FIELDS[kind]).map(([name, field]) => paragraph(name, field))
    return `\nFields of --${kind}:\n\n${fields.join('\n\n')}`
  }).join('\n')
}

function paragraph(name: string, { type, meaning, cleans, example, aliases, isPrivate }: Field) {
  const lines = [
    isPrivate ? `${meaning} Private: shown only to accounts that have unlocked it.` : meaning,
    `Read: ${cleans}`,
    `Example: ${example}`,
    `Other names: ${aliases.join(', ')}`,
  ]
  return [`  ${name} (${type})`, ...lines.map(indented)].join('\n').replaceAll('`', '')
}

function indented(line: string): string {
  const wrapped = new Help().boxWrap(line, WIDTH - INDENT.length)
  return wrapped.replace(/^/gm, INDENT)
}
