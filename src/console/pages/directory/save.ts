/** Saves the form of a record: only fields that were changed in it, and none that somebody else changed meanwhile. */
import { refusedFields, setRecord } from '../../../intake/editing/edit.ts'
import {
  ChangeRefused,
  type RecordKind,
  type ShownRecord,
} from '../../../intake/editing/records.ts'
import { FieldError } from '../../../people/users/validation.ts'
import type { Form } from '../../../site/http/form.ts'
import { fieldText } from '../../../site/http/form-errors.ts'
import type { SignedInContext } from '../../../site/http/page.ts'
import { sentence } from '../../../site/ui/text.tsx'
import { actorOf } from '../../ui/frame.tsx'
import { clearName, formFields, textsOf, wasName } from './fields.tsx'

/** Browsers send line breaks as CRLF. */
export const sentText = (form: Form, name: string) =>
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
  form: Form,
): Promise<boolean> {
  const changed = changedFields(kind, record, form)
  if (Object.keys(changed).length === 0) return false
  const isPinned = form.get('pin') === 'yes'
  const who = actorOf(context)
  const { database } = context.application
  try {
    return (await setRecord(database, kind, record.id, changed, who, isPinned)).change !== null
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error
    // No field is at fault where the record is gone, or the user is no operator any more.
    throw new FieldError(error.field ?? '', sentence(error.reason))
  }
}

/** The fields that the form changes, as a row of a file has them. @throws FieldError */
function changedFields(kind: RecordKind, record: ShownRecord, form: Form): Record<string, string> {
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
  for (const { field, reason } of refusedFields(kind, changed))
    problems.push(new FieldError(field ?? '', sentence(reason)))
  const [first, ...others] = problems
  if (first) throw new FieldError(first.field, first.message, others)
  // The investors of a round are one list in two fields: both are set together.
  if ('investors' in changed || 'leadInvestors' in changed) {
    for (const name of ['investors', 'leadInvestors']) changed[name] ??= now[name] ?? ''
  }
  return changed
}

const meanwhile = (stored: string) =>
  `Somebody changed it meanwhile: ${stored === '' ? 'nothing is stored now' : `“${stored}” is stored now`}. Save again to replace that by yours.`

/** Form as typed, with the stored values in fields that were not changed. */
export function typedIn(kind: RecordKind, record: ShownRecord, form: Form): Form {
  const now = textsOf(kind, record)
  const typed = new URLSearchParams(form)
  for (const [name, { isPrivate }] of formFields(kind)) {
    if (!isPrivate && sentText(form, name) === sentText(form, wasName(name)))
      typed.set(name, now[name] ?? '')
  }
  return typed
}
