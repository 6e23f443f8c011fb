/** @jsxImportSource hono/jsx */
/** What errors say, and what to repeat after them. */

import { ERRORS, type ErrorCode, type ErrorEntry } from '../../contract/errors.ts'
import { IDEMPOTENT_REPEATS } from '../../contract/headers.ts'
import { KEPT_CALLS } from '../../money/accounts/request-log.ts'
import { Code, Curl, Section, Table } from '../ui/page-parts.tsx'
import { figure, Prose } from '../ui/text.tsx'
import { type Document, ErrorLink } from './document.tsx'
import { exampleUrl } from './example-call.ts'

const ENTRIES = Object.entries(ERRORS) as [ErrorCode, ErrorEntry][]

/** Every error code; `error.docs` links to the code's section. */
export const errors: Document = {
  path: '/docs/errors',
  title: 'Errors',
  lead: 'A refused call costs nothing. Each error says what was charged, as far as that is known.',
  body: ({ site, href }) => (
    <>
      <p>
        <code>error.code</code> names the error for programs, <code>error.message</code> says it to
        people, and <code>error.docs</code> is the address of its section on this page.{' '}
        <code>error.charged</code> is 0 where nothing was charged. It is null where the call was
        sent to the database and its end is not known: repeat it with the same{' '}
        <a href={href('/docs/retries')}>Idempotency-Key</a>, or look into the{' '}
        <a href={href('/balance')}>ledger</a> first. Where they help, <code>parameter</code>,{' '}
        <code>allowed</code>, <code>creditsRequired</code>, <code>creditsBalance</code>,{' '}
        <code>renewsAt</code> and <code>retryAfter</code> (seconds) stand beside them.
      </p>
      <Code
        text={`{ "error": { "code": "missing_parameter", "message": "q is required.",
    "docs": "${site.appUrl}/docs/errors#missing_parameter",
    "charged": 0, "parameter": "q" } }`}
      />
      <p>
        <a href={href('/requests')}>Requests</a> lists the latest {figure(KEPT_CALLS)} calls of your
        account, refused and failed ones too, with code, credits, milliseconds, key and request id.
        It keeps names of parameters, and neither their values nor ids of records. Calls without a
        valid key belong to no account and are not in it.
      </p>
      <p>
        Bytes that are no request of HTTP/1.1 are refused with a bare 400, 413, 431 or 505, without
        a body and without the headers of other responses. A method that no HTTP library knows may
        get no answer at all.
      </p>
      <nav class="index" aria-label="Codes">
        <ul>
          {ENTRIES.map(([code, { status }]) => (
            <li>
              <a href={`#${code}`}>
                <span>{status}</span> {code}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {ENTRIES.map(([code, { status, cause, cure }]) => (
        <section class="entry" id={code} aria-labelledby={`${code}-title`}>
          <h2 id={`${code}-title`}>
            <code>{code}</code> <span class="status">{status}</span>
          </h2>
          <p>
            <Prose text={cause} />
          </p>
          <p>
            <strong>What to do.</strong> <Prose text={cure} />
          </p>
        </section>
      ))}
    </>
  ),
}

/** Errors after which the same call may be repeated unchanged. */
const PASSING = Object.entries(ERRORS).filter(([, { status }]) => [429, 500, 503].includes(status))

/** How a call gets a key of its own, by language. `test/site/docs-retries.test.ts` runs these lines. */
const KEY_LINES: readonly [language: string, line: string][] = [
  ['go', 'request.Header.Set("Idempotency-Key", rand.Text())'],
  ['python', 'headers["Idempotency-Key"] = str(uuid.uuid4())'],
  ['java', 'request.header("Idempotency-Key", UUID.randomUUID().toString());'],
  ['ts', "headers.set('Idempotency-Key', crypto.randomUUID())"],
]

/** Which calls to repeat, and how a repeat is charged once. */
export const retries: Document = {
  path: '/docs/retries',
  title: 'Retries',
  lead: 'An answer can get lost after its charge. With an idempotency key, the repeat is free.',
  body: ({ site, href, examples }) => (
    <>
      <Section id="idempotency" title="Idempotency-Key">
        <Curl
          url={exampleUrl('search', site.baseUrl, examples)}
          headers={['Idempotency-Key: order-7421']}
        />
        <p>
          A key has 1 to 64 characters of <code class="unbroken">A-Z a-z 0-9 . _ -</code>. For 24
          hours, calls with the same key, path and parameters are charged once: a repeat gets live
          data with <code class="unbroken">creditsCharged: 0</code> and the header{' '}
          <code class="unbroken">Idempotent-Replayed: true</code>, at most {IDEMPOTENT_REPEATS}{' '}
          times; one more is a <ErrorLink code="idempotency_key_exhausted" href={href} />. A repeat
          shows the channels of contacts that were unlocked when the first call was charged. The key
          with another path or other parameters is a{' '}
          <ErrorLink code="idempotency_key_reused" href={href} />. Only a charged call binds its
          key.
        </p>
      </Section>
      <Section id="when" title="When to repeat">
        <Table
          label="Errors to repeat"
          isCards
          columns={[
            'Status',
            { label: 'Code', card: 'end' },
            { label: 'What to do', card: 'line' },
          ]}
          rows={PASSING.map(([code, { status }]) => [
            status,
            <a href={href(`/docs/errors#${code}`)}>
              <code>{code}</code>
            </a>,
            status === 500 ? 'Repeat with growing pauses.' : 'Wait for Retry-After seconds.',
          ])}
        />
        <p>
          Any other 4xx stays the same however often you repeat the call. Where an error says{' '}
          <code class="unbroken">charged: null</code>, or no answer comes, repeat with the same key:
          it is charged once at most.
        </p>
      </Section>
      <Section id="resent" title="Clients that repeat calls by themselves">
        <p>
          The HTTP clients of Go, Java and Bun, and browsers, send a GET again by themselves when a
          connection that they kept open breaks before the answer. Your program is not told. Without
          a key that is a second call, and both may be charged. So give each billed call a new key:
        </p>
        {KEY_LINES.map(([language, line]) => (
          <Code isCommand text={line} language={language} />
        ))}
        <p>
          <code>rand</code> is Go's <code class="unbroken">crypto/rand</code>, from Go 1.24 on. The{' '}
          <a href={href('/docs/client')}>TypeScript client</a> does so by itself.
        </p>
      </Section>
    </>
  ),
}
