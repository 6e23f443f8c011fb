/** `account create|show|set|suspend|resume|note|notes|list` */
import { type Command, InvalidArgumentError } from 'commander'
import {
  createAccount,
  MAX_REASON,
  noteAccount,
  resumeAccount,
  setAccount,
  suspendAccount,
} from '../../console/acts/accounts.ts'
import { MAX_NOTE, notesOf, validNote } from '../../console/acts/notes.ts'
import { TIERS, type Tier } from '../../contract/tiers.ts'
import { type Account, listAccounts } from '../../money/accounts/accounts.ts'
import { FieldError, validLine } from '../../people/users/validation.ts'
import {
  accountCommand,
  accountOf,
  listing,
  makingDatabase,
  orNoAccount,
  subcommand,
  withDatabase,
} from './command.ts'
import { parseChoice, parseCredits, parseText } from './parsers.ts'
import { performed } from './performed.ts'

interface CreateOptions {
  name: string
  email: string
  tier: Tier
  credits?: number
  organization?: string
}

type SetOptions = Partial<Pick<CreateOptions, 'tier' | 'name' | 'organization'>>

export function registerAccount(program: Command) {
  const account = program.command('account').description('accounts: who calls and pays')

  subcommand(account, 'create', 'make an account')
    .requiredOption('--name <name>', 'who it is', parseText)
    .requiredOption('--email <address>', 'where to reach them', parseEmail)
    .requiredOption('--tier <tier>', TIERS.join(', '), parseChoice(TIERS))
    .option('--credits <n>', 'credits to begin with, as a top-up', parseCredits)
    .option('--organization <name>', 'the workspace, shown on /v1/me', parseText)
    .action(
      makingDatabase(async ({ database }, { credits, ...options }: CreateOptions) => {
        const { name, email, tier, organization } = options
        const act = createAccount({ name, email, tier, organization }, credits)
        const made = await performed(database, act)
        if (!made) throw new Error('the database made no account')
        const { id, balance: creditsBalance } = made
        return {
          json: { id, name, email, tier, organization: organization ?? null, creditsBalance },
          text: `account ${id} (${tier}, ${creditsBalance} credits)`,
        }
      }),
    )

  accountCommand(account, 'show', 'one account with its balance').action(
    withDatabase(async ({ database }, id: string) => shown(await accountOf(database, id))),
  )

  accountCommand(account, 'set', 'change an account')
    .option('--tier <tier>', TIERS.join(', '), parseChoice(TIERS))
    .option('--name <name>', 'who it is', parseText)
    .option('--organization <name>', 'the workspace; - takes it away', parseText)
    .hook('preAction', (command) => {
      const { tier, name, organization } = command.opts<SetOptions>()
      if (!tier && !name && !organization)
        command.error('error: nothing to set: give --tier, --name or --organization')
    })
    .action(
      withDatabase(async ({ database }, id: string, { tier, name, organization }: SetOptions) => {
        const changes = {
          ...(tier && { tier }),
          ...(name && { name }),
          ...(organization && { organization: organization === '-' ? null : organization }),
        }
        await performed(database, setAccount(id, changes))
        return shown(await accountOf(database, id))
      }),
    )

  accountCommand(account, 'suspend', 'refuse all that an account asks for, until it is resumed')
    .requiredOption(
      '--reason <text>',
      'why, and what to do: its members read it',
      parserOf((text) => validLine('reason', text, MAX_REASON)),
    )
    .action(
      withDatabase(async ({ database }, id: string, { reason }: { reason: string }) => {
        await performed(database, suspendAccount(id, reason))
        return shown(await accountOf(database, id))
      }),
    )

  accountCommand(account, 'resume', 'let a suspended account go on').action(
    withDatabase(async ({ database }, id: string) => {
      await performed(database, resumeAccount(id))
      return shown(await accountOf(database, id))
    }),
  )

  accountCommand(account, 'note', 'write a note about an account, which operators alone see')
    .argument('<text>', `up to ${MAX_NOTE} characters`, parserOf(validNote))
    .action(
      withDatabase(async ({ database }, id: string, text: string) => {
        const made = orNoAccount(await performed(database, noteAccount(id, text)), id)
        const note = (await notesOf(database, id)).find(({ sequence }) => sequence === made)
        return { json: { ...note }, text: 'noted' }
      }),
    )

  accountCommand(account, 'notes', 'the notes about an account, newest first').action(
    withDatabase(async ({ database }, id: string) => {
      const notes = await notesOf(database, (await accountOf(database, id)).id)
      return listing('notes', notes, 'no notes', ({ at, who, text }) => `${at}  ${who}\n${text}`)
    }),
  )

  subcommand(account, 'list', 'every account').action(
    withDatabase(async ({ database }) =>
      listing('accounts', await listAccounts(database), '', (account) => {
        const balance = String(account.creditsBalance).padStart(8)
        return `${account.id}  ${account.tier.padEnd(10)} ${balance}  ${account.name}`
      }),
    ),
  )
}

function shown(account: Account) {
  const lines = Object.entries(account).map(([name, value]) => `${name.padEnd(15)} ${value ?? '-'}`)
  return { json: { ...account }, text: lines.join('\n') }
}

/** A parser of an option by a check of a form. */
function parserOf(check: (text: string) => string) {
  return (text: string): string => {
    try {
      return check(text)
    } catch (error) {
      if (!(error instanceof FieldError)) throw error
      throw new InvalidArgumentError(error.message)
    }
  }
}

function parseEmail(value: string): string {
  if (value.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(value)) {
    throw new InvalidArgumentError('Expected an e-mail address.')
  }
  return value
}
