/** @jsxImportSource hono/jsx */
/** The form of a record: its fields in groups, several beside one another on a desk, and each group folded on a phone. */

import { refusedFields, setRecord } from '../../../intake/editing/edit.ts'
import { pinnedFields, type RecordKind, type ShownRecord } from '../../../intake/editing/records.ts'
import { FieldError, refuseAll } from '../../../people/users/validation.ts'
import type { Form as Sent } from '../../../site/http/form.ts'
import { type FormErrors, fieldText } from '../../../site/http/form-errors.ts'
import type { Child } from '../../../site/http/html.ts'
import type { SignedInContext } from '../../../site/http/page.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { Checkbox } from '../../../site/ui/fields.tsx'
import { Form, problemOf } from '../../../site/ui/form.tsx'
import { Notice, Section } from '../../../site/ui/page-parts.tsx'
import { figure } from '../../../site/ui/text.tsx'
import { unpinFields } from '../../acts/records.ts'
import { asFormError, fieldError } from '../../ui/acts.tsx'
import { actorOf } from '../../ui/frame.tsx'
import { recordPath } from '../../ui/paths.ts'
import {
  clearName,
  FLAGS,
  type FormField,
  formFields,
  labelOf,
  RecordField,
  textsOf,
  wasName,
} from './fields.tsx'

/** The groups of each kind, in their order. Fields that no group names are in the last one. */
const GROUPS: Readonly<Record<RecordKind, Readonly<Record<string, readonly string[]>>>> = {
  company: {
    'Name and kind': ['name', 'companyType', 'altRoles', 'lifecycle'],
    Profile: ['sectors', 'chains', 'size', 'aiSummary'],
    Links: ['domain', 'twitterHandle', 'linkedinUrl', 'discordUrl', 'communityLink', 'logoUrl'],
    Token: ['ticker', 'tokenLaunched', 'tokenLink'],
    'Account on X': ['followers', 'handleHistory', 'twitterRisk'],
    'As an investor': ['fundType', 'entityKind', 'fundAllTimeRoiPct', 'trustTier', 'trustTierRank'],
  },
  person: {
    Name: ['firstName', 'lastName'],
    Work: ['jobTitle', 'company', 'contactType', 'roles'],
    'Public profile': ['twitterHandle', 'avatarUrl', 'isCreator', 'creatorFollowerCount'],
    'Private channels': Object.keys(FLAGS),
  },
  round: {
    Round: ['company', 'roundType', 'roundEventName', 'amountUsd', 'announceDate'],
    Investors: ['leadInvestors', 'investors'],
  },
}
const LAST = 'Keys and date'

interface Group {
  title: string
  fields: FormField[]
}

function groupsOf(kind: RecordKind): Group[] {
  const all = formFields(kind)
  const groups = Object.entries(GROUPS[kind]).map(([title, names]) => ({
    title,
    fields: names.flatMap((name) => all.filter(([field]) => field === name)),
  }))
  const placed = new Set(groups.flatMap(({ fields }) => fields.map(([name]) => name)))
  return [...groups, { title: LAST, fields: all.filter(([name]) => !placed.has(name)) }]
}

interface RecordFormProps {
  context: SignedInContext
  kind: RecordKind
  record: ShownRecord
  errors: FormErrors | undefined
}

/** The form that changes a record. */
export function RecordForm({ context, kind, record, errors }: RecordFormProps) {
  const refused = problemOf(errors, '')
  return (
    <Section id="fields" title="Fields">
      {refused ? <Notice tone="bad">{refused}</Notice> : null}
      <Form context={context} action={recordPath(kind, record.id)} class="form sheet">
        <FieldGroups kind={kind} record={record} errors={errors} />
        <PinBox errors={errors}>Imports leave what I change as it is</PinBox>
        <Submit>Save</Submit>
      </Form>
    </Section>
  )
}

interface FieldGroupsProps extends Omit<RecordFormProps, 'context'> {
  isNew?: boolean
}

/** All fields of a kind, in their groups. */
export function FieldGroups({ kind, record, errors, isNew = false }: FieldGroupsProps) {
  const texts = textsOf(kind, record)
  const pins = new Set(pinsOf(record))
  const isOnFile = (name: string) => record[FLAGS[name] ?? ''] === true
  return (
    <>
      {groupsOf(kind).map(({ title, fields }, place) => (
        <details
          class="group"
          open={place === 0 || fields.some(([name]) => problemOf(errors, name))}
        >
          <summary>
            {title}{' '}
            <span class="quiet">{filled(fields, (name) => texts[name] || isOnFile(name))}</span>
          </summary>
          <h3>{title}</h3>
          <div class="fields">
            {fields.map(([name, field]) => (
              <RecordField
                name={name}
                field={field}
                text={texts[name] ?? ''}
                isPinned={pins.has(name)}
                isOnFile={field.isPrivate === true && isOnFile(name)}
                isNew={isNew}
                errors={errors}
              />
            ))}
          </div>
        </details>
      ))}
    </>
  )
}

/** The box that pins the saved values; it is ticked by default. */
export const PinBox = ({
  errors,
  children,
}: {
  errors: FormErrors | undefined
  children: Child
}) => (
  <Checkbox
    name="pin"
    isTicked={errors ? errors.form.get('pin') === 'yes' : true}
    hint="Else the next import that has these fields replaces them."
  >
    {children}
  </Checkbox>
)

/** “3 of 6”. */
const filled = (fields: readonly FormField[], isFilled: (name: string) => unknown) =>
  `${figure(fields.filter(([name]) => isFilled(name)).length)} of ${figure(fields.length)}`

/** Browsers send line breaks as CRLF. */
export const sentText = (form: Sent, name: string) =>
  fieldText(form, name).replaceAll('\r\n', '\n').trim()

/**
 * Saves what was changed in a record's form.
 * @param record as it is now
 * @returns whether anything was changed
 * @throws FieldError for values that can't be stored, and for fields that were changed meanwhile: the form sent again replaces those
 */
export async function saveRecord(
  context: SignedInContext,
  kind: RecordKind,
  record: ShownRecord,
  form: Sent,
): Promise<boolean> {
  const changed = changedFields(kind, record, form)
  if (Object.keys(changed).length === 0) return false
  const isPinned = form.get('pin') === 'yes'
  const who = actorOf(context)
  const { database } = context.application
  const set = setRecord(database, kind, record.id, changed, who, isPinned)
  return (await set.catch(asFormError)).change !== null
}

/** The fields that the form changes, as a row of a file has them. @throws FieldError */
function changedFields(kind: RecordKind, record: ShownRecord, form: Sent): Record<string, string> {
  const now = textsOf(kind, record)
  const changed: Record<string, string> = {}
  const problems: FieldError[] = []
  for (const [name, { isPrivate }] of formFields(kind)) {
    const sent = sentText(form, name)
    if (isPrivate) {
      const isCleared = form.get(clearName(name)) === 'yes'
      if (isCleared && sent !== '')
        problems.push(new FieldError(name, 'Write a new value, or tick the box to clear it.'))
      else if (isCleared || sent !== '') changed[name] = sent
      continue
    }
    const was = sentText(form, wasName(name))
    const stored = now[name] ?? ''
    if (!form.has(name) || sent === was || sent === stored) continue
    if (stored !== was) problems.push(new FieldError(name, meanwhile(stored)))
    else changed[name] = sent
  }
  refuseAll([...problems, ...refusedFields(kind, changed).map(fieldError)])
  // The investors of a round are one list in two fields: both are set together.
  if ('investors' in changed || 'leadInvestors' in changed) {
    for (const name of ['investors', 'leadInvestors']) changed[name] ??= now[name] ?? ''
  }
  return changed
}

const meanwhile = (stored: string) =>
  `Somebody changed it meanwhile: ${stored === '' ? 'nothing is stored now' : `“${stored}” is stored now`}. Save again to replace that by yours.`

/** Form as typed, with the stored values in fields that were not changed. */
export function typedIn(kind: RecordKind, record: ShownRecord, form: Sent): Sent {
  const now = textsOf(kind, record)
  const typed = new URLSearchParams(form)
  for (const [name, { isPrivate }] of formFields(kind)) {
    if (!isPrivate && sentText(form, name) === sentText(form, wasName(name)))
      typed.set(name, now[name] ?? '')
  }
  return typed
}

/** The name of the checkboxes; the value of each is a field. */
const BOX = 'unpin'

/** The pinned fields of a record. */
const pinsOf = ({ pins }: ShownRecord): string[] => (Array.isArray(pins) ? pins : [])

interface PinsProps {
  context: SignedInContext
  kind: RecordKind
  record: ShownRecord
  errors: FormErrors | undefined
}

/** Nothing where no field is pinned. */
export function Pins({ context, kind, record, errors }: PinsProps) {
  const pins = pinsOf(record)
  const problem = problemOf(errors, BOX)
  if (pins.length === 0 && !problem) return null
  return (
    <Section id="pins" title="Pinned fields" count={pins.length}>
      {problem ? <Notice tone="warn">{problem}</Notice> : null}
      <p class="note">Imports leave these as they are. What is stored stays when you unpin it.</p>
      <Form context={context} action={recordPath(kind, record.id)}>
        <fieldset class="choices">
          <legend>Fields to unpin</legend>
          {pins.map((field) => (
            <label>
              <input type="checkbox" name={BOX} value={field} />
              <span>{labelOf(field)}</span>
            </label>
          ))}
        </fieldset>
        <Submit action="unpin" tone="quiet">
          Unpin the ticked fields
        </Submit>
      </Form>
    </Section>
  )
}

/** Unpins the fields that a form names, as far as they are pinned still. @throws FieldError where it names none */
export async function unpinTicked(
  context: SignedInContext,
  kind: RecordKind,
  { id }: ShownRecord,
  form: Sent,
): Promise<void> {
  const { database } = context.application
  const ticked = form.getAll(BOX)
  if (ticked.length === 0) throw new FieldError(BOX, 'Tick the fields that imports may change.')
  const pinned = await pinnedFields(database, id)
  const fields = ticked.filter((field) => pinned.includes(field))
  if (fields.length > 0) await unpinFields(database, actorOf(context), kind, id, fields)
}
