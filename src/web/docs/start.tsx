/** @jsxImportSource hono/jsx */
/** `/docs`: from nothing to a first answer. */
import { CALL_CREDITS, ENDPOINTS } from '../../contract/endpoints.ts'
import { Code, Curl } from '../components/code.tsx'
import { figure } from '../components/text.tsx'
import type { Document } from './document.tsx'

export const start: Document = {
  path: '/docs',
  label: 'Start in one minute',
  title: 'Start in one minute',
  lead: 'Every call is a GET with one header, and answers JSON. Three steps, and the first two cost nothing.',
  body: ({ site, href }) => (
    <>
      <section aria-labelledby="key">
        <h2 id="key">1. Make a key, and put it where the commands find it</h2>
        <p>
          <a href={href('/sign-up')}>Create an account</a>: it starts with credits for a trial. Sign
          in, and the first page makes a key, which begins with <code>ck_live_</code> and is shown
          once. In a terminal:
        </p>
        <Code isCommand text="export API_KEY=ck_live_…" />
      </section>
      <section aria-labelledby="who">
        <h2 id="who">2. Ask who you are</h2>
        <Curl url={site.baseUrl + ENDPOINTS.me.path} />
        <p>
          The answer holds your tier, your balance and every endpoint with its price. It is free. A{' '}
          <a href={href('/docs/errors#unauthorized')}>401</a> here means that the key did not arrive
          as it was made.
        </p>
      </section>
      <section aria-labelledby="first">
        <h2 id="first">3. Make a call that is billed</h2>
        <Curl url={`${site.baseUrl}${ENDPOINTS.search.path}?q=capital&limit=3`} />
        <p>
          It takes {CALL_CREDITS} credits and says so, in <code>meta</code> at the end of the
          answer:
        </p>
        <Code
          text={`{ …, "meta": { "creditsCharged": ${CALL_CREDITS}, "creditsBalance": 245 } }`}
        />
        <p>
          Where the answer says <code>"sample": true</code>, its records are invented: the account
          is on the <code>free</code> tier and has too few credits.{' '}
          <a href={href('/docs/credits#samples')}>About samples</a>.
        </p>
      </section>
      <section aria-labelledby="on">
        <h2 id="on">Where to go from here</h2>
        <ul>
          <li>
            <a href={href('/docs/reference')}>The reference</a> has all{' '}
            {figure(Object.keys(ENDPOINTS).length)} endpoints, with their parameters, answers and
            examples.
          </li>
          <li>
            <a href={href('/openapi.json')}>The OpenAPI document</a> is for your tools: client
            generators, Postman, Insomnia.
          </li>
          <li>
            <a href={href('/people')}>The directory itself</a> can be looked at here, without a key.
          </li>
        </ul>
      </section>
    </>
  ),
}
