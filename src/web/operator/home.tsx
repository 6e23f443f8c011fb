/** @jsxImportSource hono/jsx */
/** `/operator`: what waits for the operator, and how the service does. */
import { readAuditLog } from '../../operator/audit-log.ts'
import { Section } from '../components/page-parts.tsx'
import type { Page, SignedInContext } from '../http/page.ts'
import { AuditLines } from './audit.tsx'
import { operatorPage } from './frame.tsx'

/** Lines of the audit log. */
const LINES = 5

export async function homePage(context: SignedInContext): Promise<Page> {
  const { database } = context.application
  const lines = await readAuditLog(database, { limit: LINES })
  return operatorPage(
    context,
    { title: 'Operator' },
    <Section id="acts" title="Done last">
      <AuditLines context={context} lines={lines} />
    </Section>,
  )
}
