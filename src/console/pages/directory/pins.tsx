/** @jsxImportSource hono/jsx */
/** The fields of a record that imports leave as they are, and the form that gives them back to imports. */
import { pinnedFields, type RecordKind, type ShownRecord } from '../../../intake/editing/records.ts'
import { FieldError } from '../../../people/users/validation.ts'
import type { Form as Sent } from '../../../site/http/form.ts'
import type { FormErrors } from '../../../site/http/form-errors.ts'
import type { SignedInContext } from '../../../site/http/page.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { Form, problemOf } from '../../../site/ui/form.tsx'
import { Notice, Section } from '../../../site/ui/page-parts.tsx'
import { unpinFields } from '../../acts/pins.ts'
import { actorOf } from '../../ui/frame.tsx'
import { recordPath } from '../../ui/paths.ts'
import { labelOf } from './fields.tsx'

/** The name of the checkboxes; the value of each is a field. */
const BOX = 'unpin'

/** The pinned fields of a record. */
export const pinsOf = ({ pins }: ShownRecord): string[] => (Array.isArray(pins) ? pins : [])

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
