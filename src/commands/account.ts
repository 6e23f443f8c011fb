/** `account create|show|set|list` */
import { type Command, InvalidArgumentError } from 'commander'
import { createAccount, listAccounts, setAccount, showAccount } from '../accounts/accounts.ts'
import { grantCredits } from '../accounts/credits.ts'
import { TIERS, type Tier } from '../contract/tiers.ts'
import {
  parseChoice,
  parseCredits,
  parseId,
  parseText,
  Refusal,
  subcommand,
  withDatabase,
} from './command.ts'

interface CreateOptions {
  name: string
  email: string
  tier: Tier
  credits?: number
  organization?: string
}

interface SetOptions {
  tier?: Tier
  name?: string
  organization?: string
}

export function registerAccount(program: Command) {
  const account = program.command('account').description('accounts: who calls and pays')

  subcommand(account, 'create', 'make an account')
    .requiredOption('--name <name>', 'who it is', parseText)
    .requiredOption('--email <address>', 'where to reach them', validEmail)
    .requiredOption('--tier <tier>', TIERS.join(', '), parseChoice(TIERS))
    .option('--credits <n>', 'credits to begin with, as a top-up', parseCredits)
    .option('--organization <name>', 'the workspace, shown on /v1/me', parseText)
    .action(
      withDatabase(async ({ database }, { credits, ...options }: CreateOptions) => {
        const { name, email, tier, organization } = options
        const id = await createAccount(database, { name, email, tier, organization })
        const balance = credits ? await grantCredits(database, id, credits, 'topup') : 0
        const creditsBalance = balance ?? 0
        return {
          json: { id, name, email, tier, organization: organization ?? null, creditsBalance },
          text: `account ${id} (${tier}, ${creditsBalance} credits)`,
        }
      }),
    )

  subcommand(account, 'show', 'one account with its balance')
    .argument('<id>', 'the account', parseId)
    .action(
      withDatabase(async ({ database }, id: string) => {
        const found = await showAccount(database, id)
        if (!found) throw noAccount(id)
        return { json: { ...found }, text: lines(found) }
      }),
    )

  subcommand(account, 'set', 'change an account')
    .argument('<id>', 'the account', parseId)
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
        const changed = await setAccount(database, id, {
          ...(tier && { tier }),
          ...(name && { name }),
          ...(organization && { organization: organization === '-' ? null : organization }),
        })
        const found = changed && (await showAccount(database, id))
        if (!found) throw noAccount(id)
        return { json: { ...found }, text: lines(found) }
      }),
    )

  subcommand(account, 'list', 'every account').action(
    withDatabase(async ({ database }) => {
      const accounts = await listAccounts(database)
      const text = accounts.map(
        (a) => `${a.id}  ${a.tier.padEnd(10)} ${String(a.creditsBalance).padStart(8)}  ${a.name}`,
      )
      return { json: { accounts }, text: text.join('\n') }
    }),
  )
}

export function noAccount(id: string): Refusal {
  return new Refusal(`there is no account ${id}`)
}

function lines(record: object): string {
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(15)} ${value ?? '-'}`)
    .join('\n')
}

function validEmail(value: string): string {
  if (value.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(value)) {
    throw new InvalidArgumentError('Expected an e-mail address.')
  }
  return value
}
