/**
 * An act of an operator as one row: its form, its confirmation, its command, its line in the audit log and its JSON are made of it.
 * `table.ts` has all rows, `perform.ts` does one, `ui/acts.tsx` is its form and confirmation, `commands/acts.ts` its command.
 */
import type { Actor } from '../../database/actor.ts'
import type { Connection, Database } from '../../database/client.ts'
import type { Fragment } from '../../database/scalar.ts'
import { isUuid, uuidOf } from '../../database/uuid.ts'
import type { PaymentGateway } from '../../money/payments/gateway.ts'
import {
  FieldError,
  refuseAll,
  validCredits,
  validLine,
  validText,
} from '../../people/users/validation.ts'
import type { ListedBackup } from './backup-list.ts'
import type { Desk } from './erase.ts'

/** Kinds of an act's subject. `audit_state` reads each, but a change, which the journal has. */
export type SubjectKind =
  | ('account' | 'backup' | 'change' | 'event' | 'import' | 'key')
  | ('payment' | 'record' | 'request' | 'source' | 'user')

/** A value that an act takes: a field of its form, an option of its command, or what the program gives. */
export interface Field<T> {
  /** `statement` must be ticked. `hidden` is what the operator has read, and must be so still. `given` is asked of nobody. */
  kind: 'line' | 'text' | 'number' | 'choice' | 'tick' | 'statement' | 'hidden' | 'given'
  /** Checks what was typed. @throws FieldError */
  read(text: string, name: string): T
  label?: string
  hint?: string
  /** Most characters. */
  max?: number
  choices?: readonly string[]
  /** Labels of choices that don't read well by themselves. */
  labels?: Readonly<Record<string, string>>
  /** Label of no choice. */
  none?: string
  isOptional?: boolean
  /** Its place in the command: `<amount>` or `--source <source>`; a form alone has it without one. */
  option?: string
  /** Help of that option. */
  about?: string
}

export type Fields = Readonly<Record<string, Field<unknown>>>
export type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never
}

/** Ids of what an act is done to. */
export interface Target {
  /** The subject of its page: an account, a payment. */
  on: string
  /** A part of that: a grant, a key, a person; '' for the whole. */
  of: string
  /** The subject of its line in the audit log: one of both, or new. */
  id: string
}

/** The statement of an act. */
export interface Statement<S> {
  /** The expression that does it; `actor` in it is who does. Null, or false, where there was nothing to do it to: then no line is written. */
  call(sql: Connection['sql']): Fragment
  result(given: string | number | boolean | Date): S
}

/** Resources of an act. */
export interface Resources {
  database: Database
  by: Actor
  gateway(): PaymentGateway | Promise<PaymentGateway>
  desk(): Desk
  referralCredits: number
  /** Begins the work on an import in another process; absent where this one starts none. */
  imports?: { begin(id: string): void } | undefined
  /** The backups in this machine's folder. */
  backups?(): Promise<readonly ListedBackup[]>
}

/** Services of an act's own work, and the statements that it may send. */
export interface ActContext<F extends Fields, S> extends Resources {
  /** The act's own statement, with its line in the audit log. */
  own(target: Target, values: Values<F>): Promise<S | undefined>
  /** Does the statement of a further act. */
  perform<G extends Fields, T, R>(
    act: Act<G, T, R>,
    id: string,
    values: Values<G>,
  ): Promise<T | undefined>
}

/** Texts of the confirmation page. */
export interface Question {
  /** Without its question mark. */
  title: string
  lead: string
  /** Fields that this time need not be asked for. */
  without?: readonly string[]
  /** Values of the hidden fields. */
  read?: Readonly<Record<string, string>>
  /** Name and target of the act that is asked about in its place. */
  instead?: { act: string; on: string }
}

/** Output of a command. */
export interface Output {
  json: Record<string, unknown>
  text: string
  exitCode?: number
}

/** @typeParam S result of the statement @typeParam R result of the whole, where work is around the statement */
export interface Act<F extends Fields = Fields, S = unknown, R = S> {
  /** The audit log stores the names of acts with a statement, so they never change. */
  name: string
  subject: SubjectKind
  /** Kind of the page that it stands on; the subject's own unless given. */
  page?: SubjectKind
  /** Makes its subject. */
  isNew?: boolean
  /** Names what is missing where nothing is done: "key in force". */
  noun?: string
  fields: F
  /** Only fields that were changed are set. */
  isPartial?: boolean
  /** Text of its button; '' where it has no form of its own. */
  button: string
  /** Counts once for each form that is shown, as what does twice what is asked twice. */
  isOnce?: boolean
  isDangerous?: boolean
  /** Its page is gone afterwards. */
  isLast?: boolean
  /** The page's message afterwards; several where `end` says which. */
  said?: string | Readonly<Record<string, string>>
  end?(result: R, values: Values<F>): string
  /** Message where there was nothing to do, which is no mistake. */
  idle?: string
  /** Messages for what the database refuses, by SQLSTATE. */
  refusals?: Readonly<Record<string, readonly [field: string, message: string]>>
  /**
   * Texts of a page before it is done, which asks for password and code unless `isUndoable`.
   * @returns undefined where there is nothing to do it to
   */
  ask?(resources: Resources, target: Target): Promise<Question | undefined>
  isUndoable?: boolean
  statement?(target: Target, values: Values<F>): Statement<S>
  /** The whole, where more than the statement is to be done. @throws a refusal */
  run?(context: ActContext<F, S>, target: Target, values: Values<F>): Promise<R | undefined>
  /** Its command and help; an act of pages alone has none, or one of its own. */
  command?: string
  about?: string
  /** The command's second argument, which is `of`. */
  item?: readonly [name: string, about: string]
  /** The question of a command that can't be undone. */
  confirm?: { what: string; undone: string; question: string }
  /** The command's output; the page's subject unless given. */
  tell?(
    done: Resources & { target: Target; values: Values<F>; result: R },
  ): Output | Promise<Output>
}

/** Lets the compiler find the types of a row. */
export const act = <F extends Fields, S = never, R = S>(row: Act<F, S, R>): Act<F, S, R> => row

/** A reason why an act can't be done now. */
export class ActRefused extends Error {
  override name = 'ActRefused'
}

/** A statement that says whether it did something. */
export const done = (call: Statement<boolean>['call']): Statement<true> => ({
  call,
  result: () => true as const,
})

/** A statement that returns a number. */
export const counted = (call: Statement<number>['call']): Statement<number> => ({
  call,
  result: Number,
})

export const line = (max: number) => ({
  ...({
    kind: 'line',
    max,
    read: (text: string, name: string) => validLine(name, text, max),
  } as const),
})

/** The id of a record, in either case. */
export const uuid = {
  kind: 'line' as const,
  max: 36,
  read(text: string, name: string): string {
    const value = uuidOf(text.trim())
    if (value === undefined) throw new FieldError(name, 'Expected an id (a UUID).')
    return value
  },
}

/** Several lines. */
export const lines = (max: number) => ({
  kind: 'text' as const,
  max,
  read(text: string, name: string): string {
    const value = validText(name, text, max)
    if (value === '') throw new FieldError(name, 'Please fill this in.')
    return value
  },
})

/** A whole number of credits. */
export const credits = {
  kind: 'number' as const,
  max: 13,
  read: (text: string, name: string) => validCredits(name, text),
}

export const choice = <T extends string>(choices: readonly T[]) => ({
  kind: 'choice' as const,
  choices,
  read(text: string, name: string): T {
    const known = choices.find((one) => one === text)
    if (known === undefined) throw new FieldError(name, `One of ${choices.join(', ')}.`)
    return known
  },
})

/** The same field where it may stay empty. */
export const optional = <T, X extends Field<T>>(field: X & Field<T>) => ({
  ...field,
  isOptional: true as const,
  read: (text: string, name: string): T | undefined =>
    text.trim() === '' ? undefined : field.read(text, name),
})

export const tick = { kind: 'tick' as const, read: (text: string): boolean => text === 'yes' }

/** Value that the operator has read, sent back with the form. */
export const hidden = { kind: 'hidden' as const, read: (text: string) => text }

/** Value that the program gives; the service's setting of that name where there is one. */
export const given = <T>(): Field<T> => ({
  kind: 'given',
  read() {
    throw new Error('no form asks for it')
  },
})

/** @returns the values of an act's fields. @param textOf what was typed; undefined for a field that is not to be set @throws FieldError the first one, with the others */
export function readValues<F extends Fields>(
  { fields }: Pick<Act<F>, 'fields'>,
  textOf: (name: string, field: Field<unknown>) => string | undefined,
): Values<F> {
  const values: Record<string, unknown> = {}
  const problems: FieldError[] = []
  for (const [name, field] of Object.entries(fields)) {
    const text = field.kind === 'given' ? undefined : textOf(name, field)
    if (text === undefined) continue
    try {
      values[name] = field.read(text, name)
    } catch (error) {
      if (!(error instanceof FieldError)) throw error
      problems.push(error)
    }
  }
  refuseAll(problems)
  return values as Values<F>
}

/** Kind of the page that an act stands on. */
export const pageOf = ({ page, subject }: Pick<Act, 'page' | 'subject'>): SubjectKind =>
  page ?? subject

/** Kinds with names from elsewhere; all other ids are UUIDs. */
const NAMED: readonly SubjectKind[] = ['backup', 'change', 'event', 'source']

/** True if an id can be one of this kind. */
export const isIdOf = (kind: SubjectKind, id: string): boolean => NAMED.includes(kind) || isUuid(id)

/** @param on the page's subject, or the act's own */
export function targetOf(
  { isNew, page }: Pick<Act, 'isNew' | 'page'>,
  on: string,
  of = '',
): Target {
  if (isNew) return { on, of, id: crypto.randomUUID() }
  return { on, of, id: page && of ? of : on }
}
