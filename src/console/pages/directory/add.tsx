/** @jsxImportSource hono/jsx */
/** `/operator/directory/new`: the form of a record that is not there yet, and what it says where one of its name is. */
import { addRecord, NamesakesThere, refusedFields } from '../../../intake/editing/edit.ts'
import {
  ChangeRefused,
  type RecordKind,
  type ShownRecord,
} from '../../../intake/editing/records.ts'
import { FieldError, refuseAll } from '../../../people/users/validation.ts'
import type { Form as Sent } from '../../../site/http/form.ts'
import { type FormErrors, withFormErrors } from '../../../site/http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../../site/http/page.ts'
import { QuietLink, Submit } from '../../../site/ui/actions.tsx'
import { Checkbox } from '../../../site/ui/fields.tsx'
import { Form, IdempotencyField, idempotencyKeyOf, problemOf } from '../../../site/ui/form.tsx'
import { Notice, Section } from '../../../site/ui/page-parts.tsx'
import { plural, sentence } from '../../../site/ui/text.tsx'
import { nameOfRecord, recordIfThere } from '../../acts/records.ts'
import { fieldError } from '../../ui/acts.tsx'
import { actorOf, operatorPage } from '../../ui/frame.tsx'
import { ADD, DIRECTORY, recordPath } from '../../ui/paths.ts'
import { formFields } from './fields.tsx'
import { kindIn, markOfRecord } from './kinds.ts'
import { FieldGroups, PinBox, sentText } from './record-form.tsx'

/** The box by which somebody says that it is none of those. */
const NAMESAKE = 'namesake'

/** @param there ids of records of the name that was sent */
export async function addPage(
  context: SignedInContext,
  errors?: FormErrors,
  there: readonly string[] = [],
): Promise<Page> {
  const kind = kindIn(errors?.form ?? new URLSearchParams(context.query), 'company')
  const refused = problemOf(errors, '')
  const namesakes = await namesakesOf(context, kind, there)
  return operatorPage(
    context,
    { title: `Add a ${kind}` },
    <>
      {refused ? <Notice tone="bad">{refused}</Notice> : null}
      <Section id="fields" title="Fields">
        <Form context={context} action={ADD} class="form sheet">
          <input type="hidden" name="kind" value={kind} />
          {/* Sent twice, it adds one: the record has it as its id. */}
          <IdempotencyField {...(errors && { value: idempotencyKeyOf(errors.form) })} />
          {there.length > 0 ? (
            <There context={context} kind={kind} records={namesakes} count={there.length} />
          ) : null}
          <FieldGroups isNew kind={kind} record={{ id: '' }} errors={errors} />
          <PinBox errors={errors}>Imports leave what I write as it is</PinBox>
          <p class="actions">
            <Submit>Add the {kind}</Submit>
            <QuietLink href={context.href(`${DIRECTORY}?kind=${kind}`)}>Cancel</QuietLink>
          </p>
        </Form>
      </Section>
    </>,
  )
}

interface ThereProps {
  context: SignedInContext
  kind: RecordKind
  /** The first of them, and how many there are. */
  records: readonly ShownRecord[]
  count: number
}

/** Limit of namesakes shown. */
const FEW = 5

/** The first records of these ids; one that was deleted meanwhile is left out. */
async function namesakesOf(
  { application }: SignedInContext,
  kind: RecordKind,
  ids: readonly string[],
): Promise<ShownRecord[]> {
  const shown = ids.slice(0, FEW).map((id) => recordIfThere(application.database, kind, id))
  return (await Promise.all(shown)).filter((record) => record !== undefined)
}

function There({ context, kind, records, count }: ThereProps) {
  const more = count - records.length
  return (
    <>
      <Notice tone="warn">
        The directory has this name already:{' '}
        {records.map((record, place) => (
          <>
            {place > 0 ? ', ' : ''}
            <a href={context.href(recordPath(kind, record.id))}>
              <bdi>{nameOfRecord(kind, record)}</bdi>
            </a>{' '}
            (<bdi>{markOfRecord(kind, record) || record.id}</bdi>)
          </>
        ))}
        {more > 0 ? ` and ${plural(more, 'other', 'others')}` : ''}. Change that one, or say that
        yours is another.
      </Notice>
      <Checkbox name={NAMESAKE} isTicked={false}>
        It is another one of the same name
      </Checkbox>
    </>
  )
}

export function addIt(context: SignedInContext, form: Sent): Promise<Reply> {
  const kind = kindIn(form)
  const id = idempotencyKeyOf(form)
  let there: readonly string[] = []
  return withFormErrors(
    form,
    (errors) => addPage(context, errors, there),
    async () => {
      const given = formFields(kind).map(([name]) => [name, sentText(form, name)] as const)
      const fields = Object.fromEntries(given.filter(([, text]) => text !== ''))
      refuseAll(refusedFields(kind, fields).map(fieldError))
      const said = { id, isPinned: form.get('pin') === 'yes', isNamesake: form.has(NAMESAKE) }
      try {
        await addRecord(context.application.database, kind, fields, actorOf(context), said)
      } catch (error) {
        if (!(error instanceof ChangeRefused)) throw error
        if (error instanceof NamesakesThere) {
          there = error.ids
          throw new FieldError(NAMESAKE, sentence(error.reason))
        }
        // A second click: the first one added it.
        if (error.field !== 'id') throw fieldError(error)
      }
      return redirect(context.href(`${recordPath(kind, id)}?said=added`))
    },
  )
}
