/** @jsxImportSource hono/jsx */
/** The fields of a record as a form has them: each as a cell of a file would, with what an import takes (`src/intake/import/fields`). */
import { NEVER_SET } from '../../../intake/editing/edit.ts'
import { type RecordKind, SCHEMAS, type ShownRecord } from '../../../intake/editing/records.ts'
import type { Field as ImportField } from '../../../intake/import/fields/types.ts'
import type { FormErrors } from '../../../site/http/form-errors.ts'
import type { Child } from '../../../site/http/html.ts'
import { Badge } from '../../../site/ui/badges.tsx'
import { Checkbox } from '../../../site/ui/fields.tsx'
import { Labelled } from '../../../site/ui/form.tsx'
import { fieldWords } from '../../../site/ui/text.tsx'

/** Names of two inputs beside a field's: its value when the form was shown, and whether to clear a private channel. */
export const wasName = (field: string) => `was-${field}`
export const clearName = (field: string) => `clear-${field}`

/** The flag of `showRecord` for each private channel. */
export const FLAGS: Readonly<Record<string, string>> = {
  email: 'hasEmail',
  phone: 'hasPhone',
  telegram: 'hasTelegram',
  linkedinUrl: 'hasLinkedin',
}

/** A longer value gets a field of several lines. */
const LINE_CHARACTERS = 120
const LONG = new Set(['aiSummary', 'handleHistory', 'twitterRisk', 'investors', 'leadInvestors'])

export type FormField = [name: string, field: ImportField]

/** The fields of the form: all that can be set, and one of two that mean the same. */
export function formFields(kind: RecordKind): FormField[] {
  return Object.entries(SCHEMAS[kind].fields).filter(
    ([name]) => !NEVER_SET.has(name) && name !== 'fullName',
  )
}

/** The stored values, as cells of a file; '' where nothing is stored, and always for private channels. */
export function textsOf(kind: RecordKind, record: ShownRecord): Record<string, string> {
  const all: Record<string, unknown> = {
    ...record,
    ...(kind === 'round' && investorsOf(record)),
  }
  return Object.fromEntries(
    formFields(kind).map(([name, { isPrivate }]) => [name, isPrivate ? '' : asCell(all[name])]),
  )
}

/** A round's investors in the two lists that files have. */
function investorsOf({ investors }: ShownRecord) {
  const all = Array.isArray(investors) ? investors : []
  const named = (isLead: boolean) =>
    all.filter((one) => one.isLead === isLead).map(({ investor }) => String(investor))
  return { investors: named(false), leadInvestors: named(true) }
}

/** A time in UTC, whose cell is its day and, unless that is midnight, the second: `2024-03-05 10:00:00`. */
const MOMENT = /^(\d{4}-\d\d-\d\d)T(?:00:00:00|(\d\d:\d\d:\d\d))(?:\.\d+)?(?:Z|\+00:00)$/

function asCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string')
    return value.replace(MOMENT, (_, day, time) => (time ? `${day} ${time}` : day))
  if (!Array.isArray(value)) return typeof value === 'object' ? JSON.stringify(value) : `${value}`
  if (value.length === 0) return ''
  const isPlain = value.every((item) => typeof item === 'string' && !item.includes('|'))
  return isPlain ? value.join(' | ') : JSON.stringify(value)
}

interface RecordFieldProps {
  name: string
  field: ImportField
  /** Stored value. */
  text: string
  isPinned: boolean
  /** A private channel is on file. */
  isOnFile: boolean
  /** True if the record is not there yet: nothing is chosen for it then. */
  isNew: boolean
  errors: FormErrors | undefined
}

/** One field: what is stored, and what may be written. */
export function RecordField(props: RecordFieldProps) {
  const { name, field, text, isPinned, isOnFile, isNew, errors } = props
  const { isPrivate, choices, isEssential } = field
  const sent = errors?.form.get(name) ?? text
  const how = isPrivate
    ? isOnFile
      ? 'On file, never shown. A new value replaces it.'
      : isNew
        ? undefined
        : 'None is on file.'
    : hintOf(field)
  const hint =
    how || isPinned ? (
      <>
        {isPinned ? <Badge tone="accent">pinned</Badge> : null} {how}
      </>
    ) : undefined
  return (
    <div>
      {isPrivate || isNew ? null : <input type="hidden" name={wasName(name)} value={text} />}
      <Labelled name={name} label={labelOf(name)} hint={hint} errors={errors}>
        {({ id, isRefused, described }) => {
          if (choices)
            return (
              <select id={id} name={name} autofocus={isRefused} {...described}>
                {isEssential && !isNew ? null : (
                  <option value="">{isEssential ? 'choose one' : 'not said'}</option>
                )}
                {[...new Set([...choices, ...(sent ? [sent] : [])])].map((value) => (
                  <option value={value} selected={value === sent}>
                    {value}
                  </option>
                ))}
              </select>
            )
          if (LONG.has(name) || text.length > LINE_CHARACTERS)
            return (
              <textarea id={id} name={name} rows={4} autofocus={isRefused} {...described}>
                {sent}
              </textarea>
            )
          return (
            <input
              id={id}
              type="text"
              name={name}
              value={sent}
              autocomplete="off"
              autofocus={isRefused}
              {...described}
            />
          )
        }}
      </Labelled>
      {isPrivate && isOnFile ? (
        <Checkbox name={clearName(name)} isTicked={errors?.form.get(clearName(name)) === 'yes'}>
          Clear {labelOf(name)}
        </Checkbox>
      ) : null}
    </div>
  )
}

/** How a value is written, where its label doesn't say it. */
function hintOf({ type, example, choices }: ImportField): Child {
  if (choices) return undefined
  const [, several] = /^list of (.*)$/.exec(type) ?? []
  if (several?.includes(',')) return `Several with | between them: ${several}.`
  if (several) return `Several with | between them, as ${example.split('|').join(' | ')}.`
  if (type.startsWith('JSON'))
    return (
      <>
        JSON, as <code>{example}</code>
      </>
    )
  return HINTS[type]
}

/** By the type of a field. */
const HINTS: Readonly<Record<string, string>> = {
  company: 'Its name, domain, slug or id.',
  date: 'Example: 2024-03-05.',
  domain: 'Example: uniswap.org.',
  slug: 'Small letters, digits and hyphens; the last part of its address.',
  'US dollars': 'Examples: $11M, 11,000,000.',
  'X handle': 'With or without @.',
}

/** Labels of fields that differ from the words of their names. */
const NAMES: Readonly<Record<string, string>> = {
  externalId: 'External ID',
  twitterHandle: 'X handle',
  twitterRisk: 'X risk',
  linkedinUrl: 'LinkedIn',
  aiSummary: 'Summary',
  email: 'E-mail',
  logoUrl: 'Logo URL',
  avatarUrl: 'Picture URL',
  discordUrl: 'Discord URL',
  communityLink: 'Community',
  amountUsd: 'Amount in US dollars',
  altRoles: 'Listed in too',
  fundAllTimeRoiPct: 'All-time ROI, percent',
  isCreator: 'Publishes as a creator',
  creatorFollowerCount: 'Followers as a creator',
  roundEventName: 'Announced as',
  announceDate: 'Announced on',
  createdAt: 'Added on',
  companyId: 'Company',
  investorId: 'Investor',
  roundId: 'Round',
  toId: 'Leads to',
}

/** `twitterHandle` → “X handle”. */
export const labelOf = (field: string): string => NAMES[field] ?? fieldWords(field)
