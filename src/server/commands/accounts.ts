/** `account`, `credits`, `plan`, `usage`, `key`: who calls and pays. */
import { type Command, InvalidArgumentError } from 'commander'
import {
  createAccount,
  createKey,
  endPlan,
  grantCredits,
  leftText,
  MAX_NOTE,
  MAX_REASON,
  noteAccount,
  notesOf,
  resumeAccount,
  revokeKey,
  setAccount,
  startPlan,
  suspendAccount,
  takeBackCredits,
  validNote,
} from '../../console/acts/accounts.ts'
import { SCOPES, type Scope } from '../../contract/endpoints.ts'
import { CAP_PERIODS, type CapPeriod } from '../../contract/keys.ts'
import {
  GRANT_SOURCES,
  type GrantSource,
  PLANS,
  type PlanName,
  TIER_RULES,
  TIERS,
  type Tier,
} from '../../contract/tiers.ts'
import { errorCode } from '../../database/client.ts'
import { type Account, listAccounts } from '../../money/accounts/accounts.ts'
import { type Expiry, listGrants } from '../../money/accounts/credits.ts'
import { NETWORKS_EXPECTED, networksOf } from '../../money/accounts/key-limits.ts'
import { listKeys } from '../../money/accounts/keys.ts'
import { USAGE_GROUPS, type UsageGroup, usage } from '../../money/accounts/ledger.ts'
import { FieldError, validLine } from '../../people/users/validation.ts'
import {
  accountCommand,
  accountOf,
  listing,
  makingDatabase,
  orNoAccount,
  performed,
  Refusal,
  reporting,
  subcommand,
  withDatabase,
} from './command.ts'
import { parseChoice, parseCredits, parseDuration, parseId, parseText } from './parsers.ts'
import { gatewayOf } from './payments.ts'

interface AccountOptions {
  name: string
  email: string
  tier: Tier
  credits?: number
  organization?: string
}

type AccountChanges = Partial<Pick<AccountOptions, 'tier' | 'name' | 'organization'>>

export function registerAccount(program: Command) {
  const account = program.command('account').description('accounts: who calls and pays')

  subcommand(account, 'create', 'make an account')
    .requiredOption('--name <name>', 'who it is', parseText)
    .requiredOption('--email <address>', 'where to reach them', parseEmail)
    .requiredOption('--tier <tier>', TIERS.join(', '), parseChoice(TIERS))
    .option('--credits <n>', 'credits to begin with, as a top-up', parseCredits)
    .option('--organization <name>', 'the workspace, shown on /v1/me', parseText)
    .action(
      makingDatabase(async ({ database }, { credits, ...options }: AccountOptions) => {
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
      const { tier, name, organization } = command.opts<AccountChanges>()
      if (!tier && !name && !organization)
        command.error('error: nothing to set: give --tier, --name or --organization')
    })
    .action(
      withDatabase(
        async ({ database }, id: string, { tier, name, organization }: AccountChanges) => {
          const changes = {
            ...(tier && { tier }),
            ...(name && { name }),
            ...(organization && { organization: organization === '-' ? null : organization }),
          }
          await performed(database, setAccount(id, changes))
          return shown(await accountOf(database, id))
        },
      ),
    )

  registerSuspension(account)
  registerNotes(account)

  subcommand(account, 'list', 'every account').action(
    withDatabase(async ({ database }) =>
      listing('accounts', await listAccounts(database), '', (account) => {
        const balance = String(account.creditsBalance).padStart(8)
        return `${account.id}  ${account.tier.padEnd(10)} ${balance}  ${account.name}`
      }),
    ),
  )
}

function registerSuspension(account: Command) {
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
}

function registerNotes(account: Command) {
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
}

function shown(account: Account) {
  const lines = Object.entries(account).map(([name, value]) => `${name.padEnd(15)} ${value ?? '-'}`)
  return { json: { ...account }, text: lines.join('\n') }
}

/** Turns the check of a form's field into a parser of an option. */
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

interface GrantOptions {
  source: GrantSource
  expires?: Expiry
}

/** Reasons by the SQLSTATE with which `grantCredits` refuses. */
const REASONS: Readonly<Record<string, string>> = {
  '22023': '--expires lies in the past',
  '22003': 'the balance would be larger than can be kept',
}

export function registerCredits(program: Command) {
  const credits = program.command('credits').description('credits given to accounts')

  accountCommand(credits, 'grant', 'give credits')
    .argument('<amount>', 'how many', parseCredits)
    .requiredOption('--source <source>', GRANT_SOURCES.join(', '), parseChoice(GRANT_SOURCES))
    .option(
      '--expires <when>',
      'after a duration like 7d, or at an ISO 8601 time (default: 7d for trial, 30d for plan, else never)',
      parseExpiry,
    )
    .action(
      withDatabase(
        async ({ database }, id: string, granted: number, { source, expires }: GrantOptions) => {
          const granting = performed(database, grantCredits(id, granted, source, expires))
          const balance = orNoAccount(await granting.catch(refuse), id)
          return { json: { id, granted, source, balance }, text: `balance ${balance}` }
        },
      ),
    )

  accountCommand(credits, 'take-back', 'take what is left of a grant')
    .argument('<grant>', 'the grant’s id, as `credits list --json` shows it', parseId)
    .option('--most <credits>', 'no more than so many', parseCredits)
    .action(
      withDatabase(async ({ database }, id: string, grant: string, { most }: { most?: number }) => {
        await accountOf(database, id)
        const taken = await performed(database, takeBackCredits(id, grant, most))
        if (taken === undefined) {
          throw new Refusal(`account ${id} has no grant ${grant} of which anything is left`)
        }
        const { creditsBalance: balance } = await accountOf(database, id)
        return { json: { id, grant, taken, balance }, text: `${taken} taken, balance ${balance}` }
      }),
    )

  accountCommand(credits, 'list', 'each grant with what is left of it').action(
    withDatabase(async ({ database }, id: string) => {
      const grants = orNoAccount(await listGrants(database, id), id)
      return listing('grants', grants, 'no credits were granted', (grant) => {
        const { source, remaining, amount, expiresAt } = grant
        return `${source.padEnd(9)} ${remaining} of ${amount}, expires ${expiresAt ?? 'never'}`
      })
    }),
  )
}

function refuse(error: unknown): never {
  const reason = REASONS[errorCode(error) ?? '']
  throw reason === undefined ? error : new Refusal(reason)
}

function parseExpiry(value: string): Expiry {
  if (/^\d+[smhd]$/.test(value)) return { lastsSeconds: parseDuration(value) }
  const isDate = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d)?)?$/.test(value)
  const at = new Date(value)
  if (isDate && !Number.isNaN(at.getTime())) return { at }
  throw new InvalidArgumentError('Expected a duration like 7d or a time like 2030-01-31T00:00:00Z.')
}

const PLAN_NAMES = Object.keys(PLANS) as PlanName[]

export function registerPlan(program: Command) {
  const plan = program.command('plan').description('plans: a tier and credits by the month')

  accountCommand(plan, 'start', 'begin a plan now')
    .argument('<plan>', PLAN_NAMES.join(', '), parseChoice(PLAN_NAMES))
    .option(
      '--renews',
      'grant anew when a period ends (default: the tier falls back to free)',
      false,
    )
    .action(
      withDatabase(
        async ({ database }, id: string, name: PlanName, { renews }: { renews: boolean }) => {
          await performed(database, startPlan(id, name, renews))
          const account = await accountOf(database, id)
          const text = `${name} until ${account.planEndsAt}, balance ${account.creditsBalance}`
          return { json: { ...account }, text }
        },
      ),
    )

  accountCommand(
    plan,
    'stop',
    'end a plan now, at Stripe too; what is left of its credits ends with it',
  )
    .option('--at-end', 'let the period run out, but do not renew', false)
    .action(
      withDatabase(async (context, id: string, { atEnd }: { atEnd: boolean }) => {
        const { database } = context
        const gateway = await gatewayOf(context)
        const end = await endPlan(gateway, (act) => performed(database, act), id, atEnd)
        const account = await accountOf(database, id)
        if (!end) throw new Refusal(`account ${id} has no plan`)
        const left = leftText(end)
        if (left && !end.isStopped) throw new Refusal(left)
        const text = [
          account.plan
            ? `${account.plan} ends ${account.planEndsAt}`
            : `tier ${account.tier}, balance ${account.creditsBalance}`,
          end.ended.length > 0 && `Stripe collects no more: ${end.ended.join(', ')}`,
          left,
        ]
        return {
          json: { ...account, subscriptionsEnded: end.ended, warning: left },
          text: text.filter(Boolean).join('\n'),
          exitCode: left ? 1 : 0,
        }
      }),
    )

  subcommand(plan, 'list', 'the plans there are').action(
    reporting(async () => {
      const plans = PLAN_NAMES.map((name) => {
        const { rateLimit, rateSeconds } = TIER_RULES[PLANS[name].tier]
        return { name, ...PLANS[name], rate: { limit: rateLimit, seconds: rateSeconds } }
      })
      return listing('plans', plans, '', ({ name, usdPerMonth, credits, tier, rate, extras }) => {
        const price = usdPerMonth === null ? 'custom' : `$${usdPerMonth}`
        return `${name.padEnd(11)} ${price} a month, ${credits ?? 'unlimited'} credits, tier ${tier}, ${rate.limit} calls in ${rate.seconds} s, ${extras}`
      })
    }),
  )
}

const WEEK_SECONDS = 7 * 86_400

interface UsageOptions {
  since: number
  by: UsageGroup
}

export function registerUsage(program: Command) {
  accountCommand(program, 'usage', 'what an account spent, from the ledger')
    .option(
      '--since <duration>',
      'how far back, like 7d (the default) or 12h',
      parseDuration,
      WEEK_SECONDS,
    )
    .option('--by <group>', USAGE_GROUPS.join(', '), parseChoice(USAGE_GROUPS), 'day')
    .action(
      withDatabase(async ({ database }, id: string, { since, by }: UsageOptions) => {
        await accountOf(database, id)
        const rows = await usage(database, id, since, by)
        const { json, text } = listing('usage', rows, 'nothing was spent', (row) => {
          return `${row.group}  ${row.calls} calls, ${row.credits} credits`
        })
        return { json: { sinceSeconds: since, by, ...json }, text }
      }),
    )
}

interface KeyOptions {
  label: string
  scopes: Scope[]
  /** Seconds. */
  expires?: number
  cap?: number
  capPeriod?: CapPeriod
  networks?: string[]
}

export function registerKey(program: Command) {
  const keys = program.command('key').description('API keys')

  accountCommand(keys, 'create', 'make a key; it is shown this once')
    .requiredOption('--label <label>', 'what the key is for', parseText)
    .option(
      '--scopes <scopes>',
      `comma-separated: ${SCOPES.join(', ')} (default: both)`,
      parseScopes,
      [...SCOPES],
    )
    .option('--expires <time>', 'stop after a time like 90d', parseDuration)
    .option('--cap <credits>', 'the most that it spends in each period', parseCredits)
    .option(
      '--cap-period <period>',
      `the period of the cap, in UTC: ${CAP_PERIODS.join(' or ')}`,
      parseChoice(CAP_PERIODS),
    )
    .option('--networks <networks>', 'use it from these only: 203.0.113.0/24,…', parseNetworkList)
    .action(
      withDatabase(async ({ database }, id: string, options: KeyOptions) => {
        const { label, scopes, expires, networks } = options
        const cap = capOf(options)
        await accountOf(database, id)
        const limits = { expiresSeconds: expires, cap, networks }
        const made = await performed(database, createKey(id, label, scopes, limits))
        if (!made) throw new Error('the database made no key')
        const { expiresAt, ...created } = made
        const said = { label, scopes, ...(expiresAt && { expiresAt }), cap, networks }
        const text = `${created.key}\n(key ${created.id}; shown this once)`
        return { json: { ...created, ...said }, text }
      }),
    )

  accountCommand(keys, 'list', 'the keys of an account').action(
    withDatabase(async ({ database }, id: string) => {
      await accountOf(database, id)
      return listing('keys', await listKeys(database, id), 'no keys', (key) => {
        const { cap } = key
        const limits = [
          cap && `spent ${cap.spent} of ${cap.credits} credits this ${cap.period}`,
          key.networks && `from ${key.networks.join(', ')}`,
          key.expiresAt && `ends ${key.expiresAt}`,
          key.revokedAt && `revoked ${key.revokedAt}`,
        ].filter(Boolean)
        const head = `${key.id}  ${key.prefix}…  ${key.label}  [${key.scopes.join(', ')}]`
        return [head, ...limits].join('  ')
      })
    }),
  )

  subcommand(keys, 'revoke', 'end a key; its next request is refused')
    .argument('<keyid>', 'the key’s id (not the key)', parseId)
    .action(
      withDatabase(async ({ database }, id: string) => {
        if (!(await performed(database, revokeKey(id))))
          throw new Refusal(`there is no key ${id} in force`)
        return { json: { id, revoked: true }, text: `key ${id} is revoked` }
      }),
    )
}

/** @throws Refusal where only one of the two options is given */
function capOf({ cap, capPeriod }: KeyOptions) {
  if (cap !== undefined && capPeriod !== undefined) return { credits: cap, period: capPeriod }
  if (cap === undefined && capPeriod === undefined) return undefined
  throw new Refusal('--cap and --cap-period go together: --cap 1000 --cap-period day')
}

function parseNetworkList(value: string): string[] {
  const networks = networksOf(value)
  if (!networks) throw new InvalidArgumentError(`Expected ${NETWORKS_EXPECTED}.`)
  return networks
}

function parseScopes(value: string): Scope[] {
  const scopes = value.split(',').map((scope) => scope.trim())
  const known = SCOPES.filter((scope) => scopes.includes(scope))
  if (known.length !== new Set(scopes).size) {
    throw new InvalidArgumentError(`Expected some of ${SCOPES.join(',')}.`)
  }
  return known
}
