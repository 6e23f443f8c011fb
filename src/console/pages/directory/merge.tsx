/** @jsxImportSource hono/jsx */
/** `/operator/directory/merge`: searches for a record's duplicate, shows both side by side, and merges them. */
import { mergeRecords } from '../../../intake/editing/edit.ts'
import { findRecordsBy } from '../../../intake/editing/find.ts'
import {
  ChangeRefused,
  type RecordKind,
  type ShownRecord,
} from '../../../intake/editing/records.ts'
import type { Form as Sent } from '../../../site/http/form.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../../site/http/page.ts'
import { QuietLink, Submit } from '../../../site/ui/actions.tsx'
import { Form } from '../../../site/ui/form.tsx'
import { Notice, Table } from '../../../site/ui/page-parts.tsx'
import { shortened } from '../../../site/ui/text.tsx'
import { nameOfRecord } from '../../acts/records.ts'
import { actorOf, operatorPage } from '../../ui/frame.tsx'
import { DIRECTORY, mergePath, recordPath } from '../../ui/paths.ts'
import { textIn } from '../../ui/query.ts'
import { SearchForm } from './browse.tsx'
import { FLAGS, formFields, labelOf, textsOf } from './fields.tsx'
import { kindIn } from './kinds.ts'
import { recordOf } from './record.tsx'

/** Records that a search offers, and characters of a value. */
const OFFERED = 20
const MOST_CHARACTERS = 200

const MERGE = `${DIRECTORY}/merge`

export async function mergePage(context: SignedInContext): Promise<Page> {
  const asked = new URLSearchParams(context.query)
  const kind = kindIn(asked)
  const keep = await recordOf(context, kind, asked.get('id') ?? '')
  const otherId = asked.get('other')
  if (!otherId) return searchPage(context, kind, keep, textIn(asked))
  return comparedPage(context, kind, [keep, await recordOf(context, kind, otherId)])
}

export async function merge(context: SignedInContext, form: Sent): Promise<Reply> {
  const kind = kindIn(form)
  const keep = await recordOf(context, kind, form.get('id') ?? '')
  const other = await recordOf(context, kind, form.get('other') ?? '')
  const { database } = context.application
  try {
    const both = [keep.id, other.id] as const
    const { id } = await mergeRecords(database, kind, both, actorOf(context))
    return redirect(context.href(`${recordPath(kind, id)}?said=merged`))
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error
    return { ...comparedPage(context, kind, [keep, other], error.reason), status: 409 }
  }
}

async function searchPage(
  context: SignedInContext,
  kind: RecordKind,
  keep: ShownRecord,
  text: string,
): Promise<Page> {
  const { database } = context.application
  const query = { text, page: 1, limit: OFFERED }
  const { records } = text ? await findRecordsBy(database, kind, query) : { records: [] }
  const others = records.filter(({ id }) => id !== keep.id)
  const name = nameOfRecord(kind, keep)
  return operatorPage(
    context,
    { title: `Merge ${name}`, heading: `Merge ${name} with which other?` },
    <>
      <SearchForm context={context} kind={kind} text={text} action={MERGE} hidden={{ id: keep.id }}>
        <a href={context.href(recordPath(kind, keep.id))}>Cancel</a>
      </SearchForm>
      {others.length > 0 ? (
        <Table
          label="Records that it may be"
          isCards
          columns={['Record', { label: 'About', card: 'line' }, { label: 'Compare', card: 'last' }]}
          rows={others.map(({ id, name: found, about }) => [
            <bdi>{found}</bdi>,
            <bdi>{about ?? ''}</bdi>,
            <a
              href={context.href(mergePath(kind, keep.id, id))}
              aria-label={`Compare with ${found}`}
            >
              Compare
            </a>,
          ])}
        />
      ) : (
        <p class="empty">{text ? 'No other record is found.' : 'Search for the other one.'}</p>
      )}
    </>,
  )
}

/** @param refused why they could not be merged */
function comparedPage(
  context: SignedInContext,
  kind: RecordKind,
  [keep, other]: readonly [ShownRecord, ShownRecord],
  refused?: string,
): Page {
  const [name, otherName] = [nameOfRecord(kind, keep), nameOfRecord(kind, other)]
  const isSame = keep.id === other.id
  return operatorPage(
    context,
    { title: `Merge ${name}`, heading: `Merge ${name} and ${otherName}?` },
    <>
      {refused ? (
        <Notice tone="bad">They can’t be merged: {refused}. Nothing was changed.</Notice>
      ) : null}
      {isSame ? <Notice tone="warn">Both are the same record.</Notice> : null}
      <p>
        The older id, its slug and its external ID stay; those of the other lead to it from then on.
        Rounds, investments, people and what accounts have unlocked of both are the one’s. The
        journal can part them for 30 days.
      </p>
      <Table
        label="Both records, field by field"
        isCards
        columns={['Field', 'Comes first', 'Fills what is missing', 'What stays']}
        rows={comparedRows(kind, keep, other)}
      />
      {isSame ? null : (
        <Form context={context} action={MERGE} class="form sheet">
          <input type="hidden" name="kind" value={kind} />
          <input type="hidden" name="id" value={keep.id} />
          <input type="hidden" name="other" value={other.id} />
          <p class="actions">
            <Submit>Merge</Submit>
            <QuietLink href={context.href(mergePath(kind, other.id, keep.id))}>
              Let the other’s values come first
            </QuietLink>
            <QuietLink href={context.href(recordPath(kind, keep.id))}>Cancel</QuietLink>
          </p>
        </Form>
      )}
    </>,
  )
}

/** Fields that the older record always keeps. */
const KEYS: readonly string[] = ['slug', 'externalId', 'createdAt']

function comparedRows(kind: RecordKind, keep: ShownRecord, other: ShownRecord) {
  const isKeepOlder = `${keep.createdAt}${keep.id}` <= `${other.createdAt}${other.id}`
  const [mine, theirs] = [shownTexts(kind, keep), shownTexts(kind, other)]
  return formFields(kind)
    .filter(([field]) => mine[field] || theirs[field])
    .map(([field]) => {
      const [one = '', two = ''] = [mine[field], theirs[field]]
      if (field === 'handleHistory')
        return [labelOf(field), value(one), value(two), 'those of both']
      // The merged person is a creator where either was.
      if (field === 'isCreator')
        return [labelOf(field), one, two, [one, two].includes('yes') ? 'yes' : 'no']
      const isFirst = KEYS.includes(field) ? isKeepOlder : true
      const stays = isFirst ? one || two : two || one
      return [labelOf(field), value(one), value(two), one === two ? 'the same' : value(stays)]
    })
}

const value = (text: string) => (text ? <bdi>{shortened(text, MOST_CHARACTERS)}</bdi> : '')

/** The values of a record; of private channels only whether they are on file. */
function shownTexts(kind: RecordKind, record: ShownRecord): Record<string, string> {
  const texts = textsOf(kind, record)
  for (const [field, flag] of Object.entries(FLAGS))
    if (kind === 'person' && record[flag] === true) texts[field] = 'on file'
  return texts
}
