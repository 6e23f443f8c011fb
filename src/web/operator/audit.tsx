/** @jsxImportSource hono/jsx */
/** `/operator/audit`: what operators did, by pages and commands, and what was before and after. */
import { isUuid } from '../../database/uuid.ts'
import { type AuditLine, changesOf, readAuditLog } from '../../operator/audit-log.ts'
import { Submit } from '../components/actions.tsx'
import { Field } from '../components/form.tsx'
import { Table } from '../components/page-parts.tsx'
import { Moment } from '../components/text.tsx'
import type { Page, PageContext, SignedInContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { operatorPage } from './frame.tsx'

/** Lines of a page. */
const LIMIT = 50

export async function auditPage(context: SignedInContext): Promise<Page> {
  const asked = new URLSearchParams(context.query)
  const [account, subject] = [idIn(asked, 'account'), idIn(asked, 'subject')]
  const who = asked.get('who')?.trim() || undefined
  if (who?.includes('\0')) throw mistake('who', 'an e-mail address, or a user name')
  const act = asked.get('act')?.trim() || undefined
  if (act && !/^[a-z.-]{1,40}$/.test(act)) throw mistake('act', 'an act’s name, like credits.grant')
  const before = lineIn(asked)
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
        <Field isOptional name="account" label="Account" value={account} />
        <Field isOptional name="subject" label="Key, payment, user or record" value={subject} />
        <Field isOptional name="who" label="Operator" value={who} />
        <Field
          isOptional
          name="act"
          label="Act"
          value={act}
          placeholder="credits.grant"
          autocomplete="off"
        />
        <Submit tone="quiet">Filter</Submit>
        {account || subject || who || act ? (
          <a href={context.href('/operator/audit')}>Clear filters</a>
        ) : null}
      </form>
      <AuditLines context={context} lines={lines} />
      {found.length > LIMIT ? (
        <p class="pager">
          <a rel="next" href={context.href(`/operator/audit?${asked}`)}>
            Older
          </a>
        </p>
      ) : null}
    </>,
  )
}

/** @throws PageError 400 for what is no id */
function idIn(asked: URLSearchParams, name: string): string | undefined {
  const id = asked.get(name)?.trim().toLowerCase()
  if (!id) return undefined
  if (isUuid(id)) return id
  throw mistake(name, 'an id (a UUID)')
}

/** The line before which a page begins. @throws PageError 400 for what is no number of one */
function lineIn(asked: URLSearchParams): number | undefined {
  const line = asked.get('before')
  if (!line) return undefined
  if (/^[1-9]\d{0,14}$/.test(line)) return Number(line)
  throw mistake('before', 'the number of a line, as “Older” names it')
}

const mistake = (parameter: string, expected: string) =>
  new PageError(400, 'That address has a mistake in it', `${parameter}: expected ${expected}.`)

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
      columns={['Time (UTC)', 'Operator', 'Act', 'Account', 'What changed']}
      rows={lines.map((line) => [
        <Moment at={line.at} />,
        <>
          <bdi>{line.who}</bdi>{' '}
          <span class="quiet">
            {line.address ?? (line.via === 'command' ? 'by a command' : '')}
          </span>
        </>,
        <code class="number">{line.act}</code>,
        line.accountId ? (
          <a href={context.href(`/operator/audit?account=${line.accountId}`)}>
            <code class="id">{line.accountId}</code>
          </a>
        ) : (
          ''
        ),
        changesOf(line).map(({ field, before, after }) => (
          <div>
            {field}: <bdi>{said(before)}</bdi> → <bdi>{said(after)}</bdi>
          </div>
        )),
      ])}
    />
  )
}

const said = (value: unknown) => (value === undefined || value === null ? 'none' : String(value))
