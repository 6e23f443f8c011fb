/** `/operator/imports/report.csv`: every row that an import refused and every value that it left out. */
import { reportOf } from '../../../intake/import/jobs/findings.ts'
import type { SignedInContext } from '../../../site/http/page.ts'
import { ownCsvFile } from '../../../site/http/rights.ts'
import { jobOf } from './parts.tsx'

export async function reportFile(context: SignedInContext): Promise<Response> {
  const job = await jobOf(context, new URLSearchParams(context.query).get('id') ?? '')
  const lines = reportOf(context.application.database, job)
  return ownCsvFile(context, 'import-report', lines, ({ user }) => user.isOperator)
}
