/** @jsxImportSource hono/jsx */
/** `/operator/audit`: what operators did, by pages and commands, and what was before and after. */

import { RECORD_KINDS } from '../../intake/editing/records.ts'
import { NOBODY_NAMED } from '../../intake/import/import.ts'
import type { Page, PageContext, SignedInContext } from '../../site/http/page.ts'
import { Submit } from '../../site/ui/actions.tsx'
import { Field, Select } from '../../site/ui/form.tsx'
import { Table } from '../../site/ui/page-parts.tsx'
import { NewerOlder } from '../../site/ui/pager.tsx'
import { fieldWords, Moment } from '../../site/ui/text.tsx'
import { type AuditLine, changesOf, readAuditLog } from '../acts/audit-log.ts'
import { ACTS } from '../acts/perform.ts'
import { operatorPage } from '../ui/frame.tsx'
import { choiceIn, idIn, numberIn, whoIn } from '../ui/query.ts'
import { Value } from '../ui/value.tsx'
import { accountPath } from './accounts/accounts.tsx'
import { changePath, REQUESTS, recordPath } from './directory/kinds.ts'
import { importPath } from './imports/parts.tsx'
import { paymentPath } from './payments/paths.ts'

/** Lines of a page. */
const LIMIT = 50

/** What can be asked for: acts, and changes of the directory. */
const NAMES = [
  ...ACTS,
  ...['add', 'delete', 'erase', 'import', 'merge', 'set', 'undo'].map(
    (what) => `directory.${what}`,
  ),
].sort()

export async function auditPage(context: SignedInContext): Promise<Page> {
  const asked = new URLSearchParams(context.query)
  const [account, subject] = [idIn(asked, 'account'), idIn(asked, 'subject')]
  const who = whoIn(asked)
  const act = asked.get('act')?.trim() ? choiceIn(asked, 'act', NAMES) : undefined
  const before = numberIn(asked, 'before', 'the number of a line, as “Older” names it')
  const query = { account, subject, who, act, before, limit: LIMIT + 1 }
  const found = await readAuditLog(context.application.database, query)
  const lines = found.slice(0, LIMIT)
  const last = lines.at(-1)
  asked.set('before', String(last?.sequence ?? ''))
  return operatorPage(
    context,
    { title: 'Audit log' },
    <>
      <form class="filters" action={context.href('/operator/audit')}>
        <Field isOptional name="who" label="Operator" value={who} />
        <Field isOptional name="account" label="Account (its id)" value={account} />
        <Field
          isOptional
          name="subject"
          label="Key, payment, user or record (its id)"
          value={subject}
        />
        <Select
          name="act"
          label="Act"
          none="Any"
          options={NAMES.map((value) => ({ value, label: value }))}
          chosen={act}
        />
        <Submit tone="quiet">Filter</Submit>
        {account || subject || who || act ? (
          <a href={context.href('/operator/audit')}>Clear filters</a>
        ) : null}
      </form>
      <AuditLines context={context} lines={lines} />
      <NewerOlder
        older={found.length > LIMIT ? context.href(`/operator/audit?${asked}`) : undefined}
      />
    </>,
  )
}

interface LinesProps {
  context: PageContext
  lines: readonly AuditLine[]
}

/** Lines of the log as a table. */
export function AuditLines({ context, lines }: LinesProps) {
  if (lines.length === 0) return <p class="empty">Nothing was done.</p>
  return (
    <Table
      label="What was done, newest first"
      isCards
      columns={[
        'Time (UTC)',
        'Operator',
        'Act',
        { label: 'Done to', card: 'line' },
        { label: 'What changed', card: 'line' },
      ]}
      rows={lines.map((line) => [
        <Moment at={line.at} />,
        <Who line={line} />,
        <code class="number">{line.act}</code>,
        <DoneTo context={context} line={line} />,
        <Changes context={context} line={line} />,
      ])}
    />
  )
}

interface LineProps {
  context: PageContext
  line: AuditLine
}

/** Who acted, and from where. */
function Who({ line: { who, address, via } }: Pick<LineProps, 'line'>) {
  const from = address ?? (via === 'command' ? 'via command' : '')
  return (
    <>
      {who === NOBODY_NAMED && from !== '' ? null : <bdi>{who}</bdi>}{' '}
      <span class="quiet">{from}</span>
    </>
  )
}

/** The account and the payment, the record of the directory, the file of an import, or what somebody asked. */
function DoneTo({ context, line }: LineProps) {
  const { act, accountId, accountName, subjects, before, after } = line
  const [subject] = subjects
  const kind = RECORD_KINDS.find((one) => one === changeOf(after).kind)
  // An erasure's subject is its own number.
  if (act.startsWith('directory.') && act !== 'directory.erase' && kind && subject)
    return (
      <a href={context.href(recordPath(kind, subject))}>
        {kind} <code>{subject}</code>
      </a>
    )
  const file = changeOf(after).file ?? changeOf(before).file
  if (act.startsWith('import.') && subject && typeof file === 'string')
    return (
      <a href={context.href(importPath(subject))}>
        <bdi>{file}</bdi>
      </a>
    )
  if (act.startsWith('privacy.') && subject)
    return <a href={context.href(`${REQUESTS}/${subject}`)}>request</a>
  return (
    <>
      {accountId ? (
        <a href={context.href(accountPath(accountId))}>
          <bdi>{accountName ?? accountId}</bdi>
        </a>
      ) : null}
      {act.startsWith('payment.') && subject ? (
        <>
          , <a href={context.href(paymentPath(subject))}>payment</a>
        </>
      ) : null}
    </>
  )
}

/** Numbers of changes, which the journal has. */
const OF_JOURNAL: ReadonlySet<string> = new Set(['change', 'undoes'])

function Changes({ context, line }: LineProps) {
  return (
    <>
      {fieldsTold(line).map(({ field, before, after }) => (
        <div>
          {fieldWords(field)}:{' '}
          {OF_JOURNAL.has(field) && typeof after === 'number' ? (
            <a href={context.href(changePath(after))}>{String(after)}</a>
          ) : (
            <>
              {line.before ? (
                <>
                  <Value value={before} /> →{' '}
                </>
              ) : null}
              <Value value={after} />
            </>
          )}
        </div>
      ))}
    </>
  )
}

/** Of a record its kind stands beside its id. */
const fieldsTold = (line: AuditLine) =>
  changesOf(line).filter(({ field }) => field !== 'kind' || !line.act.startsWith('directory.'))

const changeOf = (after: unknown): { kind?: unknown; file?: unknown } =>
  after && typeof after === 'object' ? after : {}
