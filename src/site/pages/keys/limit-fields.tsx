/** @jsxImportSource hono/jsx */
/** The limits of a key: their fields in a form, and what a key has of them in a list. */

import { CAP_PERIODS } from '../../../contract/keys.ts'
import {
  type KeyLimits,
  NETWORKS_EXPECTED,
  networksOf,
} from '../../../money/accounts/key-limits.ts'
import type { KeyUse } from '../../../money/accounts/keys.ts'
import { FieldError } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../http/form.ts'
import { type FormErrors, fieldText } from '../../http/form-errors.ts'
import { Field, Select } from '../../ui/form.tsx'
import { Day, figure } from '../../ui/text.tsx'

/** The days after which a key may end. */
const DAYS: readonly number[] = [7, 30, 90, 180, 365]
const DAY_SECONDS = 86_400

const MAX_CAP = 1_000_000_000

/** Networks of a key that a list shows as they are. */
const SHOWN_NETWORKS = 3

/** The fields of a form, folded until one of them was filled in, wrongly too: most keys need none. */
export function LimitFields({ errors }: { errors: FormErrors | undefined }) {
  const sent = (name: string) => errors?.form.get(name) ?? undefined
  const isOpen = ['expires', 'cap', 'networks'].some((name) => sent(name))
  return (
    <details class="limits" open={isOpen}>
      <summary>Limits (optional)</summary>
      <div class="fields">
        <Select
          name="expires"
          label="It ends"
          none="never"
          options={DAYS.map((days) => ({ value: String(days), label: `in ${days} days` }))}
          chosen={sent('expires')}
          errors={errors}
        />
        <Field
          name="cap"
          label="The most credits that it spends"
          isOptional
          maxlength={10}
          hint="Calls over it are refused and cost nothing. Empty: as many as the account has."
          errors={errors}
        />
        <Select
          name="capPeriod"
          label="It may spend them anew"
          options={CAP_PERIODS.map((period) => ({ value: period, label: `each ${period} (UTC)` }))}
          chosen={sent('capPeriod')}
          errors={errors}
        />
        <Field
          name="networks"
          label="Addresses that may use it"
          isOptional
          maxlength={1_000}
          placeholder="203.0.113.0/24, 2001:db8::/32"
          hint="Addresses or networks, with commas between them. Empty: any."
          errors={errors}
        />
      </div>
    </details>
  )
}

/** The checks of the fields, for `validFields`. */
export function limitChecks(form: Fields) {
  return {
    expiresSeconds: () => secondsOf(fieldText(form, 'expires')),
    cap: () => capOf(fieldText(form, 'cap').trim(), fieldText(form, 'capPeriod')),
    networks: () => networksIn(fieldText(form, 'networks')),
  }
}

function secondsOf(days: string): number | undefined {
  if (days === '') return undefined
  if (!DAYS.includes(Number(days))) {
    throw new FieldError('expires', `Never, or in ${DAYS.join(', ')} days.`)
  }
  return Number(days) * DAY_SECONDS
}

function capOf(credits: string, wanted: string): KeyLimits['cap'] {
  if (credits === '') return undefined
  if (!/^\d+$/.test(credits) || Number(credits) < 1 || Number(credits) > MAX_CAP) {
    throw new FieldError('cap', `A whole number of credits from 1 to ${MAX_CAP}.`)
  }
  const period = CAP_PERIODS.find((known) => known === wanted)
  if (!period) throw new FieldError('capPeriod', 'A day or a month.')
  return { credits: Number(credits), period }
}

function networksIn(text: string): KeyLimits['networks'] {
  if (text.trim() === '') return undefined
  const networks = networksOf(text)
  if (!networks) throw new FieldError('networks', `Please name ${NETWORKS_EXPECTED}.`)
  return networks
}

/** The limits of a key in words. */
export function Limits({ of: { cap, networks } }: { of: KeyUse }) {
  if (!cap && !networks) return <>None</>
  return (
    <>
      {cap ? (
        <>
          {figure(cap.spent)} of {figure(cap.credits)} credits this {cap.period}; anew{' '}
          <Day at={cap.renewsAt} />
          {networks ? '. ' : ''}
        </>
      ) : null}
      {networks ? <Networks of={networks} /> : null}
    </>
  )
}

/** Many networks are unfolded by whoever wants them, or one key would fill the page. */
function Networks({ of: networks }: { of: readonly string[] }) {
  const all = networks.join(', ')
  if (networks.length <= SHOWN_NETWORKS) return <>From {all}</>
  return (
    <details>
      <summary>From {networks.length} networks</summary>
      {all}
    </details>
  )
}
