/** @jsxImportSource hono/jsx */
/** What the API answered to a call of the console: status, charge, headers and the body's beginning. */

import { TIER_RULES } from '../../contract/tiers.ts'
import { statusClassOf } from '../../money/accounts/requests.ts'
import type { Form } from '../http/form.ts'
import type { SignedInContext } from '../http/page.ts'
import { Badge } from '../ui/badges.tsx'
import { TONES } from '../ui/call-status.tsx'
import { IdempotencyField } from '../ui/form.tsx'
import { Code, Table } from '../ui/page-parts.tsx'
import { figure, plural } from '../ui/text.tsx'

export interface AnsweredCall {
  /** What the form sent. */
  form: Form
  idempotencyKey: string
  /** The address that was asked. */
  url: string
  status: number
  headers: readonly (readonly [string, string])[]
  /** As it came. */
  text: string
  tookMs: number
  charge: Charge
}

/** What a call took and left; what is not known of an answer is undefined, a charge whose end is not known null. */
export interface Charge {
  credits: number | null | undefined
  balance: number | undefined
  isSample: boolean
  isRepeat: boolean
}

/** The fragment of an answer, to which its form leads where no script puts it into the page. */
export const ANSWERED = 'answered'

/** Bytes of a body that a page shows: with the rest of the page they stay within what one page may weigh. */
const SHOWN_BYTES = 4_000

/** The part of the form that an answer replaces: it holds the idempotency key too, so that the next call is a new one. */
export function CallAnswer({
  context,
  call,
}: {
  context: SignedInContext
  call: AnsweredCall | undefined
}) {
  // Whoever doesn't know whether they were charged sends the same call again, which is charged once at most.
  const isUnknown = call?.charge.credits === null
  return (
    <div id="call-answer" tabindex={-1}>
      {isUnknown ? <IdempotencyField value={call.idempotencyKey} /> : <IdempotencyField />}
      {call ? <Answered context={context} call={call} /> : null}
    </div>
  )
}

function Answered({ context, call }: { context: SignedInContext; call: AnsweredCall }) {
  const { url, status, headers, tookMs, charge } = call
  const body = new TextEncoder().encode(readable(call.text))
  // As a stream's part it may end within a character, which is left out.
  const shown = new TextDecoder().decode(body.subarray(0, SHOWN_BYTES), { stream: true })
  return (
    <>
      <h3 id={ANSWERED}>Answer</h3>
      <p role="status">
        <Badge tone={TONES[statusClassOf(call)]}>
          {status}
          {charge.isSample ? ' Sample' : ''}
        </Badge>{' '}
        {chargeText(context, charge)}{' '}
        <span class="quiet">{figure(Math.max(1, Math.round(tookMs)))} ms</span>
      </p>
      <Code text={`GET ${url}`} />
      <details class="more">
        <summary>Headers</summary>
        <Table
          label="Headers of the answer"
          columns={['Header', 'Value']}
          rows={headers.map(([name, value]) => [<code>{name}</code>, <code>{value}</code>])}
        />
      </details>
      <Code text={shown} language="json" />
      {body.length > SHOWN_BYTES ? (
        <p class="note">
          The first {figure(SHOWN_BYTES)} of {figure(body.length)} bytes. A smaller{' '}
          <code>limit</code> shows all, and so does your own program.
        </p>
      ) : null}
      {status === 401 ? (
        <p>
          The key ended meanwhile: <a href={context.href('/keys')}>API keys</a>.
        </p>
      ) : null}
    </>
  )
}

function chargeText({ session }: SignedInContext, charge: Charge): string {
  const { credits, balance, isSample, isRepeat } = charge
  if (credits === null) {
    return 'It is not known whether this was charged. Send it again unchanged: both together are charged once at most.'
  }
  // Where there is no ceiling a balance is what was used, below zero.
  const isLimited = balance !== undefined && !TIER_RULES[session.account.tier].unlimited
  const left = isLimited ? ` ${plural(balance, 'credit is', 'credits are')} left.` : ''
  if (isSample)
    return `Not real data: the balance does not cover the call. Nothing was charged.${left}`
  if (isRepeat) return `This was charged before; nothing more was.${left}`
  if (!credits) return `Nothing was charged.${left}`
  return `${plural(credits, 'credit was', 'credits were')} charged.${left}`
}

/** JSON with line breaks; anything else as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
