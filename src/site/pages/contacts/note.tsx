/** @jsxImportSource hono/jsx */
/** `/contacts/note?id=`: what the account noted about a contact that it has revealed, for all who act for it. */
import {
  MAX_NOTE,
  MAX_TAG,
  MAX_TAGS,
  type Noted,
  notedOf,
  setNoted,
} from '../../../people/contacts/contacts.ts'
import type { Form as Fields } from '../../http/form.ts'
import { type FormErrors, fieldText, notFound, withFormErrors } from '../../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { nameOf, personRecord } from '../../profiles/view-models.ts'
import { QuietLink, Submit } from '../../ui/actions.tsx'
import { Field, Form, Labelled } from '../../ui/form.tsx'
import { personalPage } from '../../ui/page-parts.tsx'
import { figure } from '../../ui/text.tsx'

export async function notePage(context: SignedInContext): Promise<Page> {
  return noteForm(context, new URLSearchParams(context.query).get('id') ?? '')
}

export function saveNote(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session, href } = context
  const id = fieldText(form, 'id')
  const again = (errors: FormErrors) => noteForm(context, id, errors)
  return withFormErrors(form, again, async () => {
    const noted = { note: fieldText(form, 'note'), tags: fieldText(form, 'tags') }
    const isSaved = await setNoted(application.database, session.account.id, id, noted)
    if (!isSaved) throw notFound('contact')
    return redirect(href('/contacts?said=noted'))
  })
}

async function noteForm(context: SignedInContext, id: string, errors?: FormErrors): Promise<Page> {
  const { application, session, directory } = context
  const noted = await notedOf(application.database, session.account.id, id)
  if (!noted) throw notFound('contact')
  const person = directory.person(id)
  const name = person ? nameOf(personRecord(person)) : 'a contact who is gone'
  return personalPage(
    { title: 'Note and tags', heading: `Note and tags: ${name}` },
    <>
      <p class="lead">Seen by everybody who acts for your account, and by nobody else.</p>
      <Form context={context} action="/contacts/note">
        <input type="hidden" name="id" value={id} />
        <NoteField noted={noted} errors={errors} />
        <Field
          name="tags"
          label="Tags"
          value={noted.tags.join(', ')}
          autocomplete="off"
          hint={`Divided by commas: at most ${MAX_TAGS} of ${MAX_TAG} characters.`}
          isOptional
          errors={errors}
        />
        <p class="actions">
          <Submit>Save</Submit>
          <QuietLink href={context.href('/contacts')}>Cancel</QuietLink>
        </p>
      </Form>
    </>,
  )
}

function NoteField({ noted, errors }: { noted: Noted; errors: FormErrors | undefined }) {
  return (
    <Labelled
      name="note"
      label="Note"
      hint={`At most ${figure(MAX_NOTE)} characters.`}
      errors={errors}
    >
      {({ id, described }) => (
        <textarea id={id} name="note" rows={6} {...described}>
          {errors?.form.get('note') ?? noted.note}
        </textarea>
      )}
    </Labelled>
  )
}
