/** Commands of acts, made of their rows in the console's table: arguments, options, the question before it, and what is printed. */
import type { Command } from 'commander'
import { addressOf } from '../../config.ts'
import {
  type Act,
  type Field,
  type Output,
  type Resources,
  readValues,
  type SubjectKind,
  targetOf,
} from '../../console/acts/act.ts'
import type { Desk } from '../../console/acts/erase.ts'
import { doAct } from '../../console/acts/perform.ts'
import { ACTS } from '../../console/acts/table.ts'
import { createLog } from '../../log.ts'
import type { Account } from '../../money/accounts/accounts.ts'
import { openPaymentGateway, type PaymentGateway } from '../../money/payments/gateway.ts'
import { sendMail } from '../../people/users/mail.ts'
import {
  accountOf,
  type Context,
  changingCommand,
  confirm,
  existing,
  makingDatabase,
  typist,
  userOf,
  withDatabase,
} from './command.ts'
import { parseEmail, parseId, parserOf } from './parsers.ts'

/** The first argument of a command, by what it names. */
const SUBJECTS: Partial<
  Record<SubjectKind, readonly [usage: string, about: string, parse: (text: string) => string]>
> = {
  account: ['<id>', 'the account', parseId],
  event: ['<event>', 'the payment provider’s id of the event', String],
  import: ['<id>', 'the import', parseId],
  key: ['<keyid>', 'the key’s id (not the key)', parseId],
  payment: ['<id>', 'the payment', parseId],
  record: ['<record>', 'an id that it has or had, the externalId or slug', String],
  request: ['<id>', 'the request', parseId],
  user: ['<email>', 'their address', parseEmail],
}

/** Kind of the first argument: a new key is named by its account, a new account by nothing. */
const namedBy = ({ isNew, page, subject }: Act) => (isNew ? page : subject)

/** Adds the acts to the commands of their groups. */
export function addActs(program: Command) {
  for (const act of ACTS.values()) if (act.command) registerAct(program, act, act.command)
}

function registerAct(program: Command, act: Act, path: string) {
  const [group, name = ''] = path.split(' ')
  const parent = program.commands.find((each) => each.name() === group)
  if (!parent) throw new Error(`there are no commands ${group}`)
  const command = changingCommand(parent, name, act.about ?? '')
  const kind = namedBy(act)
  const named = kind && SUBJECTS[kind]
  if (named) command.argument(...named)
  if (act.item) command.argument(`<${act.item[0]}>`, act.item[1], parseId)
  const fields = Object.entries(act.fields).filter(([, { option }]) => option !== undefined)
  for (const [field, of] of fields) addField(command, act, field, of)
  if (act.confirm) command.option('--yes', 'without asking')
  if (act.isPartial) command.hook('preAction', refuseNothing(fields))
  const isFirst = act.isNew && !act.page
  const opening = isFirst ? makingDatabase : withDatabase
  command.action(
    opening((context, ...given: unknown[]) => {
      const texts = given.slice(0, command.registeredArguments.length).map(String)
      const [on = '', of] = [named && texts.shift(), act.item && texts.shift()]
      return runAct(context, act, { on, of, texts, options: command.opts<Options>() })
    }),
  )
}

interface Options extends Record<string, unknown> {
  as?: string
  yes?: boolean
  json?: boolean
}

/** Adds a field: an option, or an argument where it has no dashes. */
function addField(command: Command, act: Act, name: string, field: Field<unknown>) {
  const { option = '', about = '', kind, isOptional = false, read } = field
  const parse = parserOf((_, text) => {
    read(text, name)
    return text
  })
  if (option.startsWith('<')) command.argument(option, about, parse)
  else if (kind === 'tick') command.option(option, about)
  else if (isOptional || act.isPartial) command.option(option, about, parse)
  else command.requiredOption(option, about, parse)
}

/** Refuses a command that sets nothing. */
const refuseNothing =
  (fields: readonly (readonly [name: string, field: Field<unknown>])[]) => (command: Command) => {
    if (fields.some(([name]) => command.getOptionValue(name) !== undefined)) return
    const names = fields.map(([, { option = '' }]) => option.split(' ')[0])
    const last = names.pop()
    command.error(`error: nothing to set: give ${names.join(', ')} or ${last}`)
  }

interface Given {
  on: string
  of: string | undefined
  /** Fields that are arguments, in their order. */
  texts: string[]
  options: Options
}

async function runAct(
  context: Context,
  act: Act,
  { on, of, texts, options }: Given,
): Promise<Output> {
  const { database } = context
  if (act.confirm) await confirm(options, act.confirm)
  const user = namedBy(act) === 'user' ? await userOf(database, on) : undefined
  const target = targetOf(act, user?.id ?? on, of)
  if (namedBy(act) === 'account') await accountOf(database, on)
  const values = readValues(act, (name, { option = '', kind }) => {
    if (option.startsWith('<')) return texts.shift()
    if (user && name === 'email') return user.email
    const value = option.startsWith('--no-')
      ? !options[option.slice('--no-'.length)]
      : options[name]
    if (kind === 'tick') return value === true ? 'yes' : ''
    return typeof value === 'string' ? value : act.isPartial ? undefined : ''
  })
  const resources = resourcesOf(context, options.as)
  const { result } = await doAct(resources, act, target, values)
  if (result !== undefined && act.tell) return act.tell({ ...resources, target, values, result })
  if (act.idle === undefined) existing(result, act.noun ?? act.subject, of ?? on)
  if (act.subject === 'account') return shownAccount(await accountOf(database, target.id))
  return { json: { id: target.id }, text: act.idle ?? 'done' }
}

/** Resources of a command's acts. @param as who does it, beside the system's user */
export function resourcesOf(context: Context, as?: string): Resources {
  const { database, config } = context
  return {
    database,
    by: typist(as),
    referralCredits: config.referralCredits,
    gateway: () => gatewayOf(context),
    desk: () => deskOf(context),
  }
}

/** The payment provider, whose log goes to stderr beside the command's messages. */
export function gatewayOf({ config, database }: Context): Promise<PaymentGateway> {
  const log = createLog('error', (line) => console.error(line))
  // Commands begin no Checkout, so Stripe never needs an address to return to.
  return openPaymentGateway(config, { database, appUrl: config.appUrl ?? '', log })
}

export function deskOf({ config, database, takeLongLock }: Context): Desk {
  const { serviceName } = config
  const appUrl = config.appUrl ?? addressOf(config.host, config.appPort)
  return {
    database,
    takeLongLock,
    beside: config,
    sender: { serviceName, appUrl },
    sendMail: (mail) => sendMail(config, mail),
  }
}

/** An account, each field on a line. */
export function shownAccount(account: Account): Output {
  const lines = Object.entries(account).map(([name, value]) => `${name.padEnd(15)} ${value ?? '-'}`)
  return { json: { ...account }, text: lines.join('\n') }
}
