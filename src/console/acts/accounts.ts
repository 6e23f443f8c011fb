/** Acts on an account: its making, its tier, its credits and plan, its keys. */
import { desc, eq } from 'drizzle-orm'
import { SCOPES, type Scope } from '../../contract/endpoints.ts'
import { CAP_PERIODS } from '../../contract/keys.ts'
import { GRANT_SOURCES, PLANS, type PlanName, TIERS } from '../../contract/tiers.ts'
import type { Database } from '../../database/client.ts'
import { accountNotes } from '../../database/tables/operators.ts'
import { DURATION_EXPECTED, secondsOf } from '../../duration.ts'
import { createAccountCall, setAccountCall, showAccount } from '../../money/accounts/accounts.ts'
import { generateApiKey } from '../../money/accounts/api-key.ts'
import {
  type Expiry,
  grantCall,
  listGrants,
  startPlanCall,
  stopPlanCall,
} from '../../money/accounts/credits.ts'
import { NETWORKS_EXPECTED, networksOf } from '../../money/accounts/key-limits.ts'
import { createKeyCall, keyEnd, keysOf, revokeCall } from '../../money/accounts/keys.ts'
import { isDay } from '../../money/accounts/ledger.ts'
import type { CollectionEnd } from '../../money/payments/gateway.ts'
import { runningSubscriptions } from '../../money/payments/subscriptions.ts'
import { FieldError, validLine } from '../../people/users/validation.ts'
import {
  ActRefused,
  act,
  choice,
  counted,
  credits,
  done,
  type Field,
  line,
  lines,
  optional,
  type Resources,
  tick,
} from './act.ts'

/** Characters of an account's name and organization, and of a key's label. */
const MAX_LINE = 200
/** Characters of the reason for which an account is suspended, on one line. */
export const MAX_REASON = 500
/** Characters of a note. */
const MAX_NOTE = 2_000

export const SOURCE_LABELS = { topup: 'Top-up' }
export const PLAN_NAMES = Object.keys(PLANS) as PlanName[]

const TIER = { ...choice(TIERS), label: 'Tier', option: '--tier <tier>', about: TIERS.join(', ') }
const NAME = { ...line(MAX_LINE), label: 'Name', option: '--name <name>', about: 'who it is' }

/** Makes an account, with a top-up where credits are given. */
export const createAccount = act({
  name: 'account.create',
  subject: 'account',
  isNew: true,
  button: '',
  command: 'account create',
  about: 'make an account',
  fields: {
    name: NAME,
    email: {
      kind: 'line',
      option: '--email <address>',
      about: 'where to reach them',
      read(text: string, name: string) {
        if (text.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(text)) return text
        throw new FieldError(name, 'Expected an e-mail address.')
      },
    },
    tier: TIER,
    credits: {
      ...optional(credits),
      option: '--credits <n>',
      about: 'credits to begin with, as a top-up',
    },
    organization: {
      ...optional(line(MAX_LINE)),
      option: '--organization <name>',
      about: 'the workspace, shown on /v1/me',
    },
  },
  statement: ({ id }, { credits, ...account }) =>
    counted((sql) => createAccountCall(sql, id, account, credits)),
  tell({ target: { id }, values: { name, email, tier, organization }, result: creditsBalance }) {
    return {
      json: { id, name, email, tier, organization: organization ?? null, creditsBalance },
      text: `account ${id} (${tier}, ${creditsBalance} credits)`,
    }
  },
})

/** Sets an account's tier, name or organization. */
export const setAccount = act({
  name: 'account.set',
  subject: 'account',
  isPartial: true,
  button: 'Save',
  said: 'That is saved.',
  command: 'account set',
  about: 'change an account',
  fields: {
    tier: TIER,
    name: NAME,
    organization: {
      kind: 'line',
      label: 'Organization',
      max: MAX_LINE,
      isOptional: true,
      option: '--organization <name>',
      about: 'the workspace; - takes it away',
      read: (text: string, name: string) =>
        /^\s*-?\s*$/.test(text) ? null : validLine(name, text, MAX_LINE),
    },
  },
  statement: ({ id }, changes) => done((sql) => setAccountCall(sql, id, changes)),
})

/** Suspends an account: every call of it is refused from then on, on every instance. Of one that is suspended the reason changes. */
export const suspendAccount = act({
  name: 'account.suspend',
  subject: 'account',
  isOnce: true,
  isDangerous: true,
  button: 'Suspend',
  said: 'The account is suspended: its calls are refused from their next request on.',
  command: 'account suspend',
  about: 'refuse all that an account asks for, until it is resumed',
  fields: {
    reason: {
      ...line(MAX_REASON),
      label: 'Reason',
      hint: 'The customer reads it on every page: say why, and what to do.',
      option: '--reason <text>',
      about: 'why, and what to do: its members read it',
    },
  },
  statement: ({ id }, { reason }) => done((sql) => sql`account_suspend(${id}, ${reason})`),
})

/** Lets a suspended account go on. */
export const resumeAccount = act({
  name: 'account.resume',
  subject: 'account',
  isOnce: true,
  fields: {},
  button: 'Resume',
  said: 'The account goes on.',
  idle: 'The account was not suspended any more.',
  command: 'account resume',
  about: 'let a suspended account go on',
  statement: ({ id }) => done((sql) => sql`account_resume(${id})`),
})

/** Writes a note about an account, which operators alone see. @returns its number */
export const noteAccount = act({
  name: 'account.note',
  subject: 'account',
  isOnce: true,
  button: 'Add note',
  said: 'The note is kept.',
  command: 'account note',
  about: 'write a note about an account, which operators alone see',
  fields: {
    text: {
      ...lines(MAX_NOTE),
      label: 'A note',
      hint: 'Operators alone see it, and it stays as it is.',
      option: '<text>',
      about: `up to ${MAX_NOTE} characters`,
    },
  },
  statement: ({ id }, { text }) =>
    counted((sql) => sql`account_note(${id}, actor->>'who', ${text})`),
  async tell({ database, target: { id }, result }) {
    const note = (await notesOf(database, id)).find(({ sequence }) => sequence === result)
    return { json: { ...note }, text: 'noted' }
  },
})

/** After how long credits may end, as a form offers it. */
const ENDS = {
  never: 'never',
  '7d': 'in 7 days',
  '30d': 'in 30 days',
  '90d': 'in 90 days',
  '180d': 'in 180 days',
  '365d': 'in 365 days',
}

const expiry = {
  kind: 'choice' as const,
  choices: Object.keys(ENDS),
  labels: ENDS,
  isOptional: true,
  read(text: string, name: string): Expiry | undefined {
    if (text === '') return undefined
    if (text === 'never') return text
    const lastsSeconds = secondsOf(text)
    if (lastsSeconds !== undefined) return { lastsSeconds }
    const isTime = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text)
    const at = new Date(text)
    if (isTime && !Number.isNaN(at.getTime()) && isDay(text.slice(0, 10))) return { at }
    throw new FieldError(
      name,
      'Expected never, a duration like 7d or a time like 2030-01-31T00:00:00Z.',
    )
  },
}

/** Gives credits. @returns the balance after */
export const grantCredits = act({
  name: 'credits.grant',
  subject: 'account',
  isOnce: true,
  button: 'Give credits',
  said: 'The credits are given.',
  command: 'credits grant',
  about: 'give credits',
  fields: {
    amount: { ...credits, label: 'Credits', option: '<amount>', about: 'how many' },
    source: {
      ...choice(GRANT_SOURCES),
      label: 'What they are',
      labels: SOURCE_LABELS,
      option: '--source <source>',
      about: GRANT_SOURCES.join(', '),
    },
    expires: {
      ...expiry,
      label: 'They end',
      none: 'trial 7 days, plan 30, else never',
      option: '--expires <when>',
      about:
        'after a duration like 7d, or at an ISO 8601 time (default: 7d for trial, 30d for plan, else never)',
    },
  },
  refusals: {
    '22023': ['expires', 'That lies in the past.'],
    '22003': ['amount', 'The balance would be larger than can be kept.'],
  },
  statement: ({ id }, { amount, source, expires }) =>
    counted((sql) => grantCall(sql, id, amount, source, expires)),
  tell: ({ target: { id }, values: { amount: granted, source }, result: balance }) => ({
    json: { id, granted, source, balance },
    text: `balance ${balance}`,
  }),
})

/** Takes what is left of a grant. @returns how many credits were taken */
export const takeBackCredits = act({
  name: 'credits.take-back',
  subject: 'account',
  noun: 'grant with anything left',
  isOnce: true,
  button: 'Take back',
  said: 'The credits are taken back.',
  command: 'credits take-back',
  about: 'take what is left of a grant',
  item: ['grant', 'the grant’s id, as `credits list --json` shows it'],
  fields: {
    most: {
      ...optional(credits),
      label: 'How many at most',
      hint: 'Empty: all that is left.',
      option: '--most <credits>',
      about: 'no more than so many',
    },
  },
  async ask({ database }, { on, of }) {
    const account = await showAccount(database, on)
    const grant = (await listGrants(database, on))?.find(({ id }) => id === of)
    if (!account || !grant?.remaining) return undefined
    const { source, remaining, amount } = grant
    const left = `${remaining.toLocaleString('en-US')} of ${amount.toLocaleString('en-US')} credits`
    return {
      title: `Take back credits of ${account.name}`,
      lead: `${left} are left (${source === 'topup' ? 'top-up' : source}). The ledger keeps an entry of what is taken.`,
    }
  },
  statement: ({ id, of }, { most }) =>
    counted((sql) => sql`meter_take_back(${id}, ${of}, ${most ?? null}::integer)`),
  async tell({ database, target: { id, of: grant }, result: taken }) {
    const balance = (await showAccount(database, id))?.creditsBalance
    return { json: { id, grant, taken, balance }, text: `${taken} taken, balance ${balance}` }
  },
})

/** Starts a plan now. */
export const startPlan = act({
  name: 'plan.start',
  subject: 'account',
  isOnce: true,
  button: 'Start now',
  said: 'The plan has started.',
  command: 'plan start',
  about: 'begin a plan now',
  fields: {
    plan: {
      ...choice(PLAN_NAMES),
      label: 'Plan',
      option: '<plan>',
      about: PLAN_NAMES.join(', '),
    },
    renews: {
      ...tick,
      label: 'It renews',
      hint: 'Else the tier falls back to free when its month ends.',
      option: '--renews',
      about: 'grant anew when a period ends (default: the tier falls back to free)',
    },
  },
  statement: ({ id }, { plan, renews }) => done((sql) => startPlanCall(sql, id, plan, renews)),
  async tell({ database, target: { id }, values: { plan } }) {
    const account = await showAccount(database, id)
    const text = `${plan} until ${account?.planEndsAt}, balance ${account?.creditsBalance}`
    return { json: { ...account }, text }
  },
})

interface PlanEnd extends CollectionEnd {
  /** True if it had not ended here before. */
  isStopped: boolean
  /** Notice about subscriptions that may go on; null if there is none. */
  warning: string | null
}

/** @param stop ends the plan here */
async function planEnded(
  gateway: Resources['gateway'],
  account: string,
  atEnd: boolean,
  stop: () => Promise<true | undefined>,
): Promise<PlanEnd | undefined> {
  const collection = await (await gateway()).endCollection(
    account,
    atEnd ? 'with its period' : 'now',
  )
  const { ended, left } = collection
  const names = left?.subscriptions.join(', ')
  if (left?.isAsked)
    throw new ActRefused(
      `nothing was changed here, because Stripe did not say that it ends ${names}: ${left.reason}. Ask again: it ends what is left`,
    )
  const isStopped = (await stop()) !== undefined
  const warning =
    left && isStopped
      ? `The plan ends here, but Stripe may collect on: ${left.reason}. End there: ${names}.`
      : null
  return isStopped || ended.length > 0 ? { ...collection, isStopped, warning } : undefined
}

const PLAN_SAID = {
  now: 'The plan has ended, and with it what was left of its credits.',
  later: 'The plan ends with its month.',
  collects:
    'The plan ends here. Stripe was not asked to collect no more, because PAYMENTS is not stripe: end the subscription there.',
}

/**
 * Ends an account's plan, now or with its period. Stripe is asked first, so that an account that still pays keeps its plan whatever breaks.
 * Where `PAYMENTS` is no longer stripe, Stripe is not asked and the plan ends here.
 */
export const stopPlan = act({
  name: 'plan.stop',
  subject: 'account',
  noun: 'plan',
  button: 'End now',
  said: PLAN_SAID,
  command: 'plan stop',
  about: 'end a plan now, at Stripe too; what is left of its credits ends with it',
  fields: {
    atEnd: { ...tick, option: '--at-end', about: 'let the period run out, but do not renew' },
  },
  async ask({ database }, { on }) {
    const account = await showAccount(database, on)
    const running = account ? await runningSubscriptions(database, on) : []
    if (!account || (!account.plan && running.length === 0)) return undefined
    const collected =
      running.length > 0
        ? ' First Stripe is asked to collect no more. It pays nothing back: refund the order for that.'
        : ''
    return {
      title: `End the ${account.plan ? `${account.plan} plan` : 'subscription'} of ${account.name}`,
      lead: `It ends now, and what is left of its credits ends with it. The account returns to the free tier. Other credits stay.${collected}`,
    }
  },
  statement: ({ id }, { atEnd }) => done((sql) => stopPlanCall(sql, id, atEnd)),
  run: ({ gateway, own }, target, values): Promise<PlanEnd | undefined> =>
    planEnded(gateway, target.id, values.atEnd, () => own(target, values)),
  end: ({ warning }, { atEnd }) => (warning ? 'collects' : atEnd ? 'later' : 'now'),
  async tell({ database, target: { id }, result: { ended, warning } }) {
    const account = await showAccount(database, id)
    const text = [
      account?.plan
        ? `${account.plan} ends ${account.planEndsAt}`
        : `tier ${account?.tier}, balance ${account?.creditsBalance}`,
      ended.length > 0 && `Stripe collects no more: ${ended.join(', ')}`,
      warning,
    ]
    return {
      json: { ...account, subscriptionsEnded: ended, warning },
      text: text.filter(Boolean).join('\n'),
      exitCode: warning ? 1 : 0,
    }
  },
})

/** Lets an account's plan run out with its month. */
export const stopRenewal = act({
  name: 'plan.stop-renewal',
  subject: 'account',
  noun: 'plan',
  fields: {},
  button: 'Don’t renew',
  said: PLAN_SAID,
  run: ({ gateway, perform }, { id }): Promise<PlanEnd | undefined> =>
    planEnded(gateway, id, true, () => perform(stopPlan, id, { atEnd: true })),
  end: ({ warning }) => (warning ? 'collects' : 'later'),
})

const scopes: Field<Scope[]> = {
  kind: 'line',
  isOptional: true,
  option: '--scopes <scopes>',
  about: `comma-separated: ${SCOPES.join(', ')} (default: both)`,
  read(text, name) {
    const named = text.split(',').map((scope) => scope.trim())
    const known = SCOPES.filter((scope) => named.includes(scope))
    if (text.trim() === '') return [...SCOPES]
    if (known.length === new Set(named).size) return known
    throw new FieldError(name, `Expected some of ${SCOPES.join(',')}.`)
  },
}

/** Makes a key of an account. @returns the key, which is shown this once, and its end */
export const createKey = act({
  name: 'key.create',
  subject: 'key',
  page: 'account',
  isNew: true,
  button: '',
  command: 'key create',
  about: 'make a key; it is shown this once',
  fields: {
    label: { ...line(MAX_LINE), option: '--label <label>', about: 'what the key is for' },
    scopes,
    expires: {
      kind: 'line',
      isOptional: true,
      option: '--expires <time>',
      about: 'stop after a time like 90d',
      read(text: string, name: string) {
        const seconds = secondsOf(text)
        if (text === '' || seconds !== undefined) return seconds
        throw new FieldError(name, `Expected ${DURATION_EXPECTED}.`)
      },
    },
    cap: {
      ...optional(credits),
      option: '--cap <credits>',
      about: 'the most that it spends in each period',
    },
    capPeriod: {
      ...optional(choice(CAP_PERIODS)),
      option: '--cap-period <period>',
      about: `the period of the cap, in UTC: ${CAP_PERIODS.join(' or ')}`,
    },
    networks: {
      kind: 'line',
      isOptional: true,
      option: '--networks <networks>',
      about: 'use it from these only: 203.0.113.0/24,…',
      read(text: string, name: string) {
        const networks = networksOf(text)
        if (text === '' || networks) return networks
        throw new FieldError(name, `Expected ${NETWORKS_EXPECTED}.`)
      },
    },
  },
  statement({ id, on: accountId }, { label, scopes, cap: most, capPeriod, expires, networks }) {
    const { key, hash, prefix } = generateApiKey()
    if ((most === undefined) !== (capPeriod === undefined))
      throw new ActRefused('--cap and --cap-period go together: --cap 1000 --cap-period day')
    const cap = most && capPeriod ? { credits: most, period: capPeriod } : undefined
    const limits = { expiresSeconds: expires, cap, networks }
    return {
      call: (sql) => createKeyCall(sql, { id, accountId, label, scopes, limits, hash, prefix }),
      result: (end) => ({ id, key, prefix, cap, expiresAt: keyEnd(String(end)) }),
    }
  },
  tell({ values: { label, scopes, networks }, result: { cap, expiresAt, ...made } }) {
    return {
      json: { ...made, label, scopes, ...(expiresAt && { expiresAt }), cap, networks },
      text: `${made.key}\n(key ${made.id}; shown this once)`,
    }
  },
})

/** Ends a key now. */
export const revokeKey = act({
  name: 'key.revoke',
  subject: 'key',
  page: 'account',
  noun: 'key in force',
  fields: {},
  button: 'Revoke',
  said: 'Revoked: calls with it are refused from their next request on.',
  command: 'key revoke',
  about: 'end a key; its next request is refused',
  async ask({ database }, { on, of }) {
    const account = await showAccount(database, on)
    const keys = account ? await keysOf(database, on) : []
    const key = keys.find(({ id, inForce }) => id === of && inForce)
    if (!account || !key) return undefined
    return {
      title: `Revoke “${key.label}” of ${account.name}`,
      lead: `${key.prefix}… stops at its next request: the API answers 401 to whatever uses it.`,
    }
  },
  statement: ({ id }) => done((sql) => revokeCall(sql, id)),
  tell: ({ target: { id } }) => ({ json: { id, revoked: true }, text: `key ${id} is revoked` }),
})

/** Ends every key of an account, each with its line in the audit log. @returns how many */
export const revokeKeys = act({
  name: 'key.revoke-all',
  subject: 'account',
  noun: 'key in force',
  fields: {},
  button: 'Revoke all',
  said: revokeKey.said ?? '',
  async ask({ database }, { on }) {
    const account = await showAccount(database, on)
    const count = account ? (await keysOf(database, on)).filter(({ inForce }) => inForce).length : 0
    if (!account || count === 0) return undefined
    return {
      title: `Revoke every key of ${account.name}`,
      lead: `${count === 1 ? 'One key stops' : `${count} keys stop`} at the next request: the API answers 401 to whatever uses them.`,
    }
  },
  async run({ database, perform }, { on }): Promise<number | undefined> {
    let count = 0
    for (const { id, inForce } of await keysOf(database, on))
      if (inForce && (await perform(revokeKey, id, {}))) count++
    return count || undefined
  },
})

/** `who` is as in the audit log; `at` is ISO 8601 in UTC. */
export type AccountNote = Pick<typeof accountNotes.$inferSelect, 'sequence' | 'at' | 'who' | 'text'>

/** The newest notes about an account, the newest first. @param limit at most so many; all where it is absent */
export async function notesOf(
  database: Database,
  account: string,
  limit?: number,
): Promise<AccountNote[]> {
  const { accountId, sequence, at, who, text } = accountNotes
  return database.use(({ db }) => {
    const notes = db
      .select({ sequence, at, who, text })
      .from(accountNotes)
      .where(eq(accountId, account))
      .orderBy(desc(sequence))
    return limit === undefined ? notes : notes.limit(limit)
  })
}

/** How many notes there are about an account. */
export function countNotes(database: Database, account: string): Promise<number> {
  return database.use(({ db }) => db.$count(accountNotes, eq(accountNotes.accountId, account)))
}
