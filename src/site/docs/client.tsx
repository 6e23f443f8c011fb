/** @jsxImportSource hono/jsx */
/** `/docs/client`: the client for TypeScript and JavaScript. `src/sdk/test/docs.test.ts` runs the page's programs. */
import { IDEMPOTENT_REPEATS } from '../../contract/headers.ts'
import { Code, Section, Table } from '../ui/page-parts.tsx'
import { type Document, ErrorLink, Unsearched } from './document.tsx'
import { exampleId } from './example-call.ts'
import { Install } from './install.tsx'

/** Errors that the API doesn't send: of the connection, and of the client's own limits. */
const CLIENT_CODES: readonly [code: string, meaning: string][] = [
  ['no_answer', 'No connection, or it broke before the answer was whole.'],
  ['timed_out', 'An attempt took longer than timeoutMs.'],
  ['unexpected_answer', 'What came is not the API’s: a proxy’s page, or a wrong url.'],
  ['aborted', 'Your signal was aborted.'],
  ['sample_refused', 'A sample came, and samples are refused.'],
  ['credit_limit_reached', 'The call could cost more than maxCredits leaves. It was not sent.'],
]

const Program = ({ text }: { text: string }) => (
  <Unsearched>
    <Code isCommand text={text} language="ts" />
  </Unsearched>
)

export const client: Document = {
  path: '/docs/client',
  title: 'TypeScript client',
  lead: 'A small client for Bun, Deno, Node 20 and browsers. It repeats what may be repeated, and pays for no call twice.',
  body: ({ site, href, examples }) => (
    <>
      <Section id="client-first" title="A first call">
        <Install part="whole" />
        <Program
          text={`import { Chainkin } from 'chainkin/sdk'

const url = '${site.baseUrl}'
const chainkin = new Chainkin({ url, key: process.env.API_KEY! })

const first = { sector: ['DeFi'], limit: 2 }
const { data, total, call } = await chainkin.listProjects(first)
console.log(data.map((project) => project.name), 'of', total)
console.log(call.charged, 'credits were charged,', call.balance, 'are left')`}
        />
        <p>
          Methods are named as the <a href={href('/docs/reference')}>operations</a>; parameters and
          answers have their types, from TypeScript 5.4 on. <code>call</code> says what the call
          took: <code>charged</code>, <code>balance</code>, <code>rate</code>,{' '}
          <code>requestId</code>. <code>quote('getPerson', {'{ id, query }'})</code> asks what a
          call would cost, for nothing. A client stands for one key: make one and keep it.
        </p>
        <p>
          A page in a browser can call the API if the service's operator has listed the page's
          origin. Whoever opens such a page can read its key, and spend your credits with it.{' '}
          <code>fetch</code> takes a transport of your own; <code>signal</code> as a call's last
          argument ends it with its waits and repeats; <code>timeoutMs</code> limits each attempt.
        </p>
      </Section>
      <Section id="client-alone" title="The client alone">
        <p>
          The package has the service in it too, and brings Bun and libraries. The client needs none
          of them: <code>@chainkin/sdk</code> is a package by itself.
        </p>
        <Unsearched>
          <Install part="client" />
          <p>
            Import it from <code>@chainkin/sdk</code> instead of <code>chainkin/sdk</code>; the
            programs on this page are otherwise the same.
          </p>
        </Unsearched>
      </Section>
      <Section id="client-pages" title="Pages">
        <Program
          text={`import { Chainkin } from 'chainkin/sdk'

const url = '${site.baseUrl}'
const chainkin = new Chainkin({ url, key: process.env.API_KEY! })

const limits = { maxCredits: 50 }
const people = chainkin.records('listPeople', { channels: 'email' }, limits)
for await (const person of people) {
  console.log(person.firstName, person.lastName)
}
console.log(chainkin.spent, 'credits were spent')`}
        />
        <p>
          <code>records</code> walks over all records of a list, <code>pages</code> over its pages.
        </p>
        <p>
          The walk ends with <code>credit_limit_reached</code> before the page that could pass{' '}
          <code>maxCredits</code>. The same option of <code class="unbroken">new Chainkin</code>{' '}
          limits all calls of the client together.
        </p>
      </Section>
      <Section id="client-errors" title="Errors and repeats">
        <Program
          text={`import { Chainkin, isChainkinError } from 'chainkin/sdk'

const url = '${site.baseUrl}'
const chainkin = new Chainkin({ url, key: process.env.API_KEY! })

try {
  const { data } = await chainkin.getPerson('${exampleId('person', examples)}', { include: 'private' })
  console.log(data.person.email)
} catch (error) {
  if (!isChainkinError(error)) throw error
  if (error.code === 'insufficient_credits') {
    console.error(error.creditsRequired - error.creditsBalance, 'credits are missing')
  } else {
    console.error(error.code, error.message, 'charged:', error.charged)
  }
}`}
        />
        <p>
          A call is repeated after a lost answer, a 500, 502, 503 or 504, as often as{' '}
          <code>retries</code> says: 3 times, at most {IDEMPOTENT_REPEATS}. All attempts carry one{' '}
          <a href={href('/docs/retries#idempotency')}>Idempotency-Key</a>, so the call is charged
          once. The client keeps under the rate of your account, and waits out a{' '}
          <ErrorLink code="rate_limited" href={href} />, for <code>maxWaitMs</code> at most.
        </p>
        <p>
          An error's <code>charged</code> is 0 where it is known that nothing was charged, and null
          where it is not. The same call with <code>error.idempotencyKey</code> then goes on, and is
          charged once at most. Beside the <a href={href('/docs/errors')}>codes of the API</a> there
          are:
        </p>
        <Table
          label="Codes of the client"
          isCards
          columns={['Code', { label: 'Meaning', card: 'line' }]}
          rows={CLIENT_CODES.map(([code, meaning]) => [<code>{code}</code>, meaning])}
        />
      </Section>
      <Section id="client-samples" title="Samples">
        <p>
          A <a href={href('/docs/credits#samples')}>sample</a> is an error, so that invented records
          never pass for real ones. With <code class="unbroken">samples: 'allow'</code> it is an
          answer, and the compiler asks you to look at <code>sample</code> first:
        </p>
        <Program
          text={`import { Chainkin } from 'chainkin/sdk'

const url = '${site.baseUrl}'
const chainkin = new Chainkin({ url, key: process.env.API_KEY!, samples: 'allow' })

const answer = await chainkin.getProject('sample-protocol')
if (answer.sample) console.log('Not real:', answer.notice)
else console.log(answer.project.name, answer.team.length)`}
        />
      </Section>
    </>
  ),
}
