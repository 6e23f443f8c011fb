/** @jsxImportSource hono/jsx */
/** `/operator/directory/journal`: all changes of the directory in the last 30 days. */
import { readJournal } from '../../../intake/editing/journal.ts'
import type { Page, SignedInContext } from '../../../site/http/page.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { Field } from '../../../site/ui/form.tsx'
import { Flash } from '../../../site/ui/page-parts.tsx'
import { NewerOlder } from '../../../site/ui/pager.tsx'
import { operatorPage } from '../../ui/frame.tsx'
import { JOURNAL } from '../../ui/paths.ts'
import { idIn, numberIn, whoIn } from '../../ui/query.ts'
import { JournalTable } from './journal-table.tsx'
import { DirectoryTabs } from './tabs.tsx'

/** Changes of a page. */
const LIMIT = 30
/** Rows of each change that are counted: an import may have touched millions. */
const COUNTED_ROWS = 1_000

const MESSAGES = { undone: 'The change is taken back.' }

export async function journalPage(context: SignedInContext): Promise<Page> {
  const asked = new URLSearchParams(context.query)
  const [id, who] = [idIn(asked, 'record'), whoIn(asked)]
  const before = changeIn(asked, 'before')
  const one = changeIn(asked, 'change')
  const query =
    one === undefined
      ? { id, who, before, limit: LIMIT + 1, countedRows: COUNTED_ROWS }
      : { before: one + 1, limit: 1 }
  const read = await readJournal(context.application.database, query)
  const found = one === undefined ? read : read.filter(({ change }) => change === one)
  const changes = found.slice(0, LIMIT)
  asked.set('before', String(changes.at(-1)?.change ?? ''))
  return operatorPage(
    context,
    { title: 'Journal of the directory' },
    <>
      <Flash context={context} messages={MESSAGES} />
      <DirectoryTabs context={context} current="journal" />
      <form class="filters" action={context.href(JOURNAL)}>
        <Field isOptional name="record" label="Record (its id)" value={id} autocomplete="off" />
        <Field isOptional name="who" label="Who" value={who} autocomplete="off" />
        <Submit tone="quiet">Filter</Submit>
        {id || who || one ? <a href={context.href(JOURNAL)}>Clear filters</a> : null}
      </form>
      {changes.length > 0 ? (
        <JournalTable context={context} changes={changes} />
      ) : (
        <p class="empty">
          {id || who || one
            ? 'No change of the last 30 days is found.'
            : 'Nothing was changed in the last 30 days.'}
        </p>
      )}
      <NewerOlder older={found.length > LIMIT ? context.href(`${JOURNAL}?${asked}`) : undefined} />
    </>,
  )
}

/** The number of a change. @throws PageError 400 */
export const changeIn = (asked: URLSearchParams, name: string): number | undefined =>
  numberIn(asked, name, 'the number of a change, as the journal names it')
