/** `audit`: what operators did. */
import type { Command } from 'commander'
import { type AuditLine, changesOf, readAuditLog } from '../../console/acts/audit-log.ts'
import { listing, subcommand, withDatabase } from './command.ts'
import { parseId, parseKept, parseText } from './parsers.ts'

interface Options {
  account?: string
  subject?: string
  by?: string
  act?: string
  limit: number
}

export function registerAudit(program: Command) {
  subcommand(program, 'audit', 'what operators did, by commands and pages, the newest first')
    .option('--account <id>', 'to this account', parseId)
    .option('--subject <id>', 'to this key, payment, user or record', parseId)
    .option('--by <who>', 'by whoever has this e-mail address or user name', parseText)
    .option('--act <name>', 'of this name, like credits.grant', parseText)
    .option('--limit <n>', 'how many lines', parseKept, 50)
    .action(
      withDatabase(async ({ database }, { account, subject, by, act, limit }: Options) => {
        const lines = await readAuditLog(database, { account, subject, who: by, act, limit })
        return listing('lines', lines, 'nothing was done', textOf)
      }),
    )
}

function textOf(line: AuditLine): string {
  const { at, who, via, address, act, accountId, subjects } = line
  const changes = changesOf(line).map(
    ({ field, before, after }) => `${field}: ${said(before)} -> ${said(after)}`,
  )
  const to = [accountId && `account ${accountId}`, ...subjects].filter(Boolean).join(', ')
  const from = address ? ` from ${address}` : ''
  return `${at}  ${who} (${via}${from})  ${act}  ${to}  ${changes.join('; ')}`.trimEnd()
}

const said = (value: unknown) => (value === undefined || value === null ? '-' : String(value))
