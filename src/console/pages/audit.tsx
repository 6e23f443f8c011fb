/** @jsxImportSource hono/jsx */
/** `/operator/audit`: what operators did, by pages and commands, and what was before and after. */

import type { Page, SignedInContext } from '../../site/http/page.ts'
import { Submit } from '../../site/ui/actions.tsx'
import { Field, Select } from '../../site/ui/form.tsx'
import { NewerOlder } from '../../site/ui/pager.tsx'
import { readAuditLog } from '../acts/audit-log.ts'
import { AUDIT_NAMES } from '../acts/table.ts'
import { AuditLines } from '../ui/audit-lines.tsx'
import { operatorPage } from '../ui/frame.tsx'
import { AUDIT } from '../ui/paths.ts'
import { choiceIn, idIn, numberIn, whoIn } from '../ui/query.ts'

/** Lines of a page. */
const LIMIT = 50

export async function auditPage(context: SignedInContext): Promise<Page> {
  const asked = new URLSearchParams(context.query)
  const [account, subject] = [idIn(asked, 'account'), idIn(asked, 'subject')]
  const who = whoIn(asked)
  const act = asked.get('act')?.trim() ? choiceIn(asked, 'act', AUDIT_NAMES) : undefined
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
      <form class="filters" action={context.href(AUDIT)}>
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
          options={AUDIT_NAMES.map((value) => ({ value, label: value }))}
          chosen={act}
        />
        <Submit tone="quiet">Filter</Submit>
        {account || subject || who || act ? <a href={context.href(AUDIT)}>Clear filters</a> : null}
      </form>
      <AuditLines context={context} lines={lines} />
      <NewerOlder older={found.length > LIMIT ? context.href(`${AUDIT}?${asked}`) : undefined} />
    </>,
  )
}
