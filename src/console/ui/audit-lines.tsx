/** @jsxImportSource hono/jsx */
/** Lines of the audit log as a table. */
import { RECORD_KINDS } from '../../intake/editing/records.ts'
import { NOBODY_NAMED } from '../../intake/import/import.ts'
import type { PageContext } from '../../site/http/page.ts'
import { fieldWords, Moment } from '../../site/ui/text.tsx'
import { type AuditLine, changesOf } from '../acts/audit-log.ts'
import { List } from './lists.tsx'
import { accountPath, changePath, importPath, paymentPath, REQUESTS, recordPath } from './paths.ts'
import { Value } from './value.tsx'

interface LinesProps {
  context: PageContext
  lines: readonly AuditLine[]
}

export const AuditLines = ({ context, lines }: LinesProps) => (
  <List
    label="What was done, newest first"
    rows={lines}
    none="Nothing was done."
    cells={[
      ['Time (UTC)', ({ at }) => <Moment at={at} />],
      ['Operator', (line) => <Who line={line} />],
      ['Act', ({ act }) => <code class="number">{act}</code>],
      [{ label: 'Done to', card: 'line' }, (line) => <DoneTo context={context} line={line} />],
      [
        { label: 'What changed', card: 'line' },
        (line) => <Changes context={context} line={line} />,
      ],
    ]}
  />
)

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

/** Changed fields; a record shows its kind beside its id. */
const fieldsTold = (line: AuditLine) =>
  changesOf(line).filter(({ field }) => field !== 'kind' || !line.act.startsWith('directory.'))

const changeOf = (after: unknown): { kind?: unknown; file?: unknown } =>
  after && typeof after === 'object' ? after : {}
