/** @jsxImportSource hono/jsx */
/** Notes of operators about an account, on its page. */

import { type FormActions, type FormErrors, fieldText } from '../../../site/http/form-errors.ts'
import type { SignedInContext } from '../../../site/http/page.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { TextArea } from '../../../site/ui/fields.tsx'
import { Form, IdempotencyField } from '../../../site/ui/form.tsx'
import { figure, Moment } from '../../../site/ui/text.tsx'
import { noteAccount } from '../../acts/accounts.ts'
import { type AccountNote, MAX_NOTE, validNote } from '../../acts/notes.ts'
import { performedOnce } from '../../ui/frame.tsx'
import { accountPath } from '../../ui/paths.ts'
import { doneOnce } from './done.ts'
import { Folded } from './folded.tsx'

/** Notes of a page. */
export const NOTES = 20

interface NotesProps {
  context: SignedInContext
  account: string
  /** The newest. */
  notes: readonly AccountNote[]
  /** How many there are. */
  count: number
  errors: FormErrors | undefined
}

/** Open where there are notes: whoever looks at the account is meant to read them. */
export function Notes({ context, account, notes, count, errors }: NotesProps) {
  const isRefused = errors?.form.get('action') === 'note'
  return (
    <Folded id="notes" title="Notes" count={count} isOpen={count > 0 || isRefused}>
      {notes.map(({ at, who, text }) => (
        <article class="operator-note">
          <p class="note">
            <bdi>{who}</bdi>, <Moment at={at} /> (UTC)
          </p>
          <p>
            <bdi>{text}</bdi>
          </p>
        </article>
      ))}
      {count > notes.length ? (
        <p class="note">
          The newest {figure(notes.length)}: <code>account notes {account}</code> prints all.
        </p>
      ) : null}
      <Form context={context} action={accountPath(account)}>
        <IdempotencyField />
        <TextArea
          name="text"
          label="A note"
          hint="Operators alone see it, and it stays as it is."
          maxlength={MAX_NOTE}
          errors={errors}
        />
        <Submit action="note" tone="quiet">
          Add note
        </Submit>
      </Form>
    </Folded>
  )
}

/** Counts once: a double click notes nothing twice. */
export const NOTE_ACTIONS: FormActions = {
  async note(context, form) {
    const act = noteAccount(context.id, validNote(fieldText(form, 'text')))
    return doneOnce(context, 'noted', await performedOnce(context, form, act))
  },
}
