/** @jsxImportSource hono/jsx */
/** `/operator/directory/delete`: says what goes along with a record, and deletes it. The journal brings it back for 30 days. */
import { deleteRecord } from '../../../intake/editing/edit.ts'
import {
  ChangeRefused,
  type RecordKind,
  type ShownRecord,
} from '../../../intake/editing/records.ts'
import type { Form as Sent } from '../../../site/http/form.ts'
import { notFound } from '../../../site/http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../../site/http/page.ts'
import { QuietLink, Submit } from '../../../site/ui/actions.tsx'
import { Form } from '../../../site/ui/form.tsx'
import { plural } from '../../../site/ui/text.tsx'
import { actorOf, operatorPage } from '../../ui/frame.tsx'
import { DIRECTORY, recordPath } from '../../ui/paths.ts'
import { kindIn, nameOfRecord } from './kinds.ts'
import { recordOf } from './record.tsx'

export async function deletePage(context: SignedInContext): Promise<Page> {
  const asked = new URLSearchParams(context.query)
  const kind = kindIn(asked)
  const record = await recordOf(context, kind, asked.get('id') ?? '')
  const name = nameOfRecord(kind, record)
  return operatorPage(
    context,
    { title: `Delete ${name}`, heading: `Delete ${name}?`, shape: 'text' },
    <>
      <p class="lead">{goesAlong(kind, record)}</p>
      <p>
        What accounts have unlocked and paid stays as it is. The journal can bring all of it back
        for 30 days. An import that has the record makes it anew.
      </p>
      <Form context={context} action={`${DIRECTORY}/delete`}>
        <input type="hidden" name="kind" value={kind} />
        <input type="hidden" name="id" value={record.id} />
        <p class="actions">
          <Submit tone="danger">Delete</Submit>
          <QuietLink href={context.href(recordPath(kind, record.id))}>Cancel</QuietLink>
        </p>
      </Form>
    </>,
  )
}

/** Records that are deleted with this one, and records that lose it. */
function goesAlong(kind: RecordKind, { people, rounds, investments, investors }: ShownRecord) {
  if (kind === 'person') return 'The person goes, with their private channels.'
  const count = (value: unknown) => (typeof value === 'number' ? value : 0)
  if (kind === 'round') {
    const parts = Array.isArray(investors) ? investors.length : 0
    return `The round goes, with ${plural(parts, 'investment', 'investments')} in it. The companies stay.`
  }
  return `The company goes, with ${plural(count(rounds), 'round', 'rounds')} of its own and ${plural(
    count(investments),
    'investment',
    'investments',
  )} in others. ${plural(count(people), 'person stays', 'people stay')}, without a company.`
}

export async function deleteIt(context: SignedInContext, form: Sent): Promise<Reply> {
  const kind = kindIn(form)
  const { id } = await recordOf(context, kind, form.get('id') ?? '')
  try {
    await deleteRecord(context.application.database, kind, id, actorOf(context))
  } catch (error) {
    // Somebody else deleted it meanwhile.
    if (error instanceof ChangeRefused) throw notFound(kind)
    throw error
  }
  return redirect(context.href(`${DIRECTORY}?kind=${kind}&said=deleted`))
}
